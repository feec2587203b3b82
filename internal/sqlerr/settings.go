package sqlerr

import "strings"

var settingsConditions = []row{
	{"CANNOT_MODIFY_STATIC_CONFIG", "46110"},
	{"CANNOT_MODIFY_CONFIG", "46110"},
	{"INVALID_CONF_VALUE", "22022"},
}

// CannotModifyStaticConfig reports SET of a key that is fixed when Tarn starts.
func CannotModifyStaticConfig(key string) *Error {
	return newError("CANNOT_MODIFY_STATIC_CONFIG", []Param{{"key", `"` + key + `"`}}, "The value of the static configuration key %q cannot be changed in a session.", key)
}

// CannotModifyConfig reports SET of a key that belongs to Spark's core.
func CannotModifyConfig(key string) *Error {
	return newError("CANNOT_MODIFY_CONFIG", []Param{{"key", `"` + key + `"`}, {"docroot", "docs/settings.md"}}, "The configuration key %q belongs to a running Spark cluster and cannot be changed here.", key)
}

// InvalidConfigValue reports a value that a key does not take.
func InvalidConfigValue(key, value, want string) *Error {
	return newError("INVALID_CONF_VALUE.REQUIREMENT", []Param{{"confValue", value}, {"confName", key}, {"confRequirement", want}}, "The value %q does not suit the configuration key %q: it takes %s.", value, key, want)
}

// ConfigNotBoolean reports a value other than true and false of a key that takes these.
func ConfigNotBoolean(key, value string) *Error {
	return newError("INVALID_CONF_VALUE.TYPE_MISMATCH", []Param{{"confValue", value}, {"confName", key}, {"confType", "boolean"}}, "The value %q does not suit the configuration key %q: it takes true or false.", value, key)
}

// ConfigOutOfOptions reports a value that is none of those a key takes.
func ConfigOutOfOptions(key, value string, options []string) *Error {
	list := strings.Join(options, ", ")
	return newError("INVALID_CONF_VALUE.OUT_OF_RANGE_OF_OPTIONS", []Param{{"confValue", value}, {"confName", key}, {"confOptions", list}}, "The value %q does not suit the configuration key %q: it takes one of %s.", value, key, list)
}

// InvalidTimeZone reports a value that is no time zone.
func InvalidTimeZone(key, value string) *Error {
	return newError("INVALID_CONF_VALUE.TIME_ZONE", []Param{{"confValue", value}, {"confName", key}}, "%q is no time zone. Use a region such as 'Europe/Paris', 'UTC', or an offset such as '+02:00'.", value)
}

// UnknownConfig reports a tarn.* key that does not exist.
func UnknownConfig(key string, known []string) *Error {
	return newError("INVALID_CONF_VALUE.UNKNOWN_KEY", []Param{{"confName", key}}, "There is no configuration key %q. Tarn's own keys are %s.", key, strings.Join(known, ", "))
}

// ConfigType reports a value that is not of the key's type.
func ConfigType(key, value, want string) *Error {
	return newError("INVALID_CONF_VALUE.TYPE_MISMATCH", []Param{{"confValue", value}, {"confName", key}, {"confType", want}}, "The value %q does not suit the configuration key %q: it takes a %s.", value, key, want)
}

// ConfigChoice reports a value that is none of those a key takes.
func ConfigChoice(key, value string, choices []string) *Error {
	list := strings.Join(choices, ", ")
	return newError("INVALID_CONF_VALUE.OUT_OF_RANGE_OF_OPTIONS", []Param{{"confValue", value}, {"confName", key}, {"confOptions", list}}, "The value %q does not suit the configuration key %q: it takes one of %s.", value, key, list)
}
