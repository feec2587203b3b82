package pattern

import "time"

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

// zoneByName finds a zone by its ID or short name.
func zoneByName(name string) (*time.Location, bool) {
	if id, ok := zoneAbbreviations[name]; ok {
		name = id
	}
	if name == "" || name == "Local" {
		return nil, false
	}
	loc, err := time.LoadLocation(name)
	return loc, err == nil
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
