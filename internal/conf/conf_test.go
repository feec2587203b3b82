package conf_test

import (
	"errors"
	"testing"
	"time"

	"github.com/tarnlake/tarn/internal/conf"
	"github.com/tarnlake/tarn/internal/sqlerr"
)

func TestCheck(t *testing.T) {
	for _, c := range []struct {
		name, value string
		want        sqlerr.Condition // "" for none
	}{
		{conf.PartitionLog, "true", ""},
		{conf.PartitionLog, "yes", "INVALID_CONF_VALUE"},
		{conf.OverwriteMode, "dynamic", ""},
		{conf.OverwriteMode, "sometimes", "INVALID_CONF_VALUE"},
		{conf.TimeZone, "America/New_York", ""},
		{conf.TimeZone, "Nowhere/Land", "INVALID_CONF_VALUE.TIME_ZONE"},
		{conf.RepairMaxDropFraction, "0.25", ""},
		{conf.RepairMaxDropFraction, "1.5", "INVALID_CONF_VALUE"},
		{conf.RepairMaxDropFraction, "NaN", "INVALID_CONF_VALUE"},
		{conf.ClientRuntime, "12.2.x-scala2.12", ""},
		{conf.ClientRuntime, "new", "INVALID_CONF_VALUE"},
		{"spark.sql.globalTempDatabase", "10", "CANNOT_MODIFY_STATIC_CONFIG"},
		{"spark.executor.memory", "1g", "CANNOT_MODIFY_CONFIG"},
		{"some.unknown.key", "x", ""},
		{"tarn.repair.maxDropFractoin", "0.1", "INVALID_CONF_VALUE.UNKNOWN_KEY"},
	} {
		err := conf.Check(c.name, c.value)
		if c.want == "" && err != nil || c.want != "" && !errors.Is(err, c.want) {
			t.Errorf("Check(%s, %s) = %v, want %q", c.name, c.value, err, c.want)
		}
	}
}

func TestValuesFallBackToStartValuesAndDefaults(t *testing.T) {
	v := conf.NewValues(map[string]string{conf.TimeZone: "+02:00"})
	if _, off := time.Unix(0, 0).In(v.Location()).Zone(); off != 7200 {
		t.Errorf("offset %d", off)
	}
	if _, ok := v.Get(conf.MetadataOnly); ok || v.IsSet(conf.MetadataOnly) {
		t.Error("metadataOnly has no value until it is set")
	}
	if s, ok := v.Get(conf.DefaultSource); !ok || s != "parquet" {
		t.Errorf("default source %q, %t", s, ok)
	}
	v.Set(conf.TimeZone, "UTC")
	v.Set("x", "1")
	v.Reset(conf.TimeZone)
	if s, _ := v.Get(conf.TimeZone); s != "+02:00" {
		t.Errorf("RESET of one name gives %q", s)
	}
	v.Reset("")
	if got := v.All(); len(got) != 1 || got[0][0] != conf.TimeZone {
		t.Errorf("after RESET: %v", got)
	}
}

func TestZones(t *testing.T) {
	for text, want := range map[string]int{"UTC": 0, "Z": 0, "GMT": 0, "+02:00": 7200, "-0330": -12600, "+5": 18000, "UTC+2": 7200, "GMT-03:30": -12600, "+01:02:03": 3723, "Asia/Kolkata": 19800} {
		loc, err := conf.Zone(text)
		if err != nil {
			t.Errorf("Zone(%q): %v", text, err)
			continue
		}
		if _, off := time.Unix(0, 0).In(loc).Zone(); off != want {
			t.Errorf("Zone(%q) is %d seconds off UTC, want %d", text, off, want)
		}
	}
	for _, bad := range []string{"", "+25:00", "+1:60", "+1:2:3:4", "local", "UTC+x", "../etc/passwd"} {
		if _, err := conf.Zone(bad); err == nil {
			t.Errorf("Zone(%q) should fail", bad)
		}
	}
}

func TestKeysAreSortedAndFound(t *testing.T) {
	last := ""
	for _, k := range conf.Keys() {
		if k.Name <= last {
			t.Errorf("%s is out of order", k.Name)
		}
		last = k.Name
		if got, ok := conf.Find(k.Name); !ok || got.Name != k.Name {
			t.Errorf("Find(%s) = %v, %t", k.Name, got, ok)
		}
		if !k.Unset && conf.Check(k.Name, k.Default) != nil {
			t.Errorf("the default of %s is not allowed", k.Name)
		}
	}
}

func TestParseSize(t *testing.T) {
	for text, want := range map[string]int64{"0": 0, "17": 17, "1k": 1024, "2kb": 2048, "3M": 3 << 20, "1g": 1 << 30, " 4 ": 4, "5b": 5, "1t": 1 << 40} {
		if got, ok := conf.ParseSize(text); !ok || got != want {
			t.Errorf("ParseSize(%q) = %d, %v, want %d", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "-1", "x", "1x", "1.5g", "9999999999999t", "g", "b"} {
		if got, ok := conf.ParseSize(text); ok {
			t.Errorf("ParseSize(%q) = %d, want a refusal", text, got)
		}
	}
}
