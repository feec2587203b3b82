package pattern

import (
	"strings"
	"time"
)

// zoneAbbreviations are the short zone names that texts carry, as zone IDs: a name that many zones share means the
// one Java prefers in English.
var zoneAbbreviations = map[string]string{
	"UTC": "UTC", "GMT": "UTC", "UT": "UTC", "Z": "UTC",
	"EST": "America/New_York", "EDT": "America/New_York", "CST": "America/Chicago", "CDT": "America/Chicago",
	"MST": "America/Denver", "MDT": "America/Denver", "PST": "America/Los_Angeles", "PDT": "America/Los_Angeles",
	"AKST": "America/Anchorage", "HST": "Pacific/Honolulu", "CET": "Europe/Paris", "CEST": "Europe/Paris",
	"EET": "Europe/Helsinki", "EEST": "Europe/Helsinki", "WET": "Europe/Lisbon", "WEST": "Europe/Lisbon",
	"BST": "Europe/London", "MSK": "Europe/Moscow", "IST": "Asia/Kolkata", "JST": "Asia/Tokyo", "KST": "Asia/Seoul",
	"HKT": "Asia/Hong_Kong", "SGT": "Asia/Singapore", "AEST": "Australia/Sydney", "AEDT": "Australia/Sydney",
	"NZST": "Pacific/Auckland", "NZDT": "Pacific/Auckland",
}

// longNames are the full names of zones, by their short ones, for the pattern zzzz.
var longNames = map[string]string{
	"UTC": "Coordinated Universal Time", "GMT": "Greenwich Mean Time",
	"EST": "Eastern Standard Time", "EDT": "Eastern Daylight Time", "CST": "Central Standard Time", "CDT": "Central Daylight Time",
	"MST": "Mountain Standard Time", "MDT": "Mountain Daylight Time", "PST": "Pacific Standard Time", "PDT": "Pacific Daylight Time",
	"CET": "Central European Standard Time", "CEST": "Central European Summer Time",
	"EET": "Eastern European Standard Time", "EEST": "Eastern European Summer Time",
	"WET": "Western European Standard Time", "WEST": "Western European Summer Time",
	"BST": "British Summer Time", "IST": "India Standard Time", "JST": "Japan Standard Time",
}

// zoneByName finds a zone by its ID or short name.
func zoneByName(name string) (*time.Location, bool) {
	if id, ok := zoneAbbreviations[name]; ok {
		name = id
	}
	if name == "" || name == "Local" {
		return nil, false
	}
	if loc, err := time.LoadLocation(name); err == nil {
		return loc, true
	}
	loc, err := time.LoadLocation(titled(name))
	return loc, err == nil
}

// titled spells an ID such as europe/paris the way the zone database does: IDs match in any case.
func titled(name string) string {
	b := []byte(strings.ToLower(name))
	for i := range b {
		if (i == 0 || b[i-1] == '/' || b[i-1] == '_' || b[i-1] == '-') && b[i] >= 'a' && b[i] <= 'z' {
			b[i] -= 'a' - 'A'
		}
	}
	return string(b)
}

func era(t time.Time, long bool) string {
	switch {
	case t.Year() > 0 && long:
		return "Anno Domini"
	case t.Year() > 0:
		return "AD"
	case long:
		return "Before Christ"
	}
	return "BC"
}

var quarterNames = [4]string{"1st quarter", "2nd quarter", "3rd quarter", "4th quarter"}
