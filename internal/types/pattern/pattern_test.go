package pattern_test

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"
	_ "time/tzdata" // the zones of the tests, where the machine has none

	"pgregory.net/rapid"

	"github.com/tarnlake/tarn/internal/types/pattern"
)

func newYork(t testing.TB) *time.Location {
	t.Helper()
	loc, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	return loc
}

// wall prints an instant as Spark casts a TIMESTAMP to STRING.
func wall(at time.Time) string {
	s := at.Format("-01-02 15:04:05.999999")
	switch y := at.Year(); {
	case y < 0:
		return fmt.Sprintf("-%04d%s", -y, s)
	case y > 9999:
		return fmt.Sprintf("+%d%s", y, s)
	default:
		return fmt.Sprintf("%04d%s", y, s)
	}
}

// parsed is what real Spark answers for CAST(try_to_timestamp(text, pattern) AS STRING) in New York; "" is NULL.
var parsed = []struct{ pattern, text, want string }{
	{"yyyy-MM-dd HH:mm:ss", "2020-01-02 03:04:05", "2020-01-02 03:04:05"},
	{"yyyy-MM-dd HH:mm:ss", "2020-1-2 3:4:5", ""},
	{"yyyy-MM-dd HH:mm:ss", "2020-01-02 03:04:05 ", ""},
	{"yyyy-MM-dd HH:mm:ss", "12020-01-02 03:04:05", ""},
	{"yyyy-MM-dd HH:mm:ss", "+12020-01-02 03:04:05", "+12020-01-02 03:04:05"},
	{"yyyy-MM-dd HH:mm:ss", "-2020-01-02 03:04:05", "-2020-01-02 03:04:05"},
	{"yyyy-MM-dd HH:mm:ss", "+2020-01-02 03:04:05", ""},
	{"yyyy-MM-dd HH:mm:ss", "0000-01-01 00:00:00", "0000-01-01 00:00:00"},
	{"yyyy-MM-dd HH:mm:ss", "2020-02-30 00:00:00", ""},
	{"yyyy-MM-dd HH:mm:ss", "2020-01-02 24:00:00", ""},
	{"yyyy-MM-dd HH:mm:ss", "2020-01-02 23:59:60", ""},
	{"yyyyMMdd", "20200102", "2020-01-02 00:00:00"},
	{"yyyyMMdd", "120200102", ""},
	{"yyyyMMdd", "2020012", ""},
	{"yyyyMMdd", "2020-01-02", ""},
	{"yyyyMMddHHmmss", "20200102030405", "2020-01-02 03:04:05"},
	{"yyyyMMddHHmmssSSS", "20200102030405123", ""},
	{"yMd", "2020102", ""},
	{"yy", "20", "2020-01-01 00:00:00"},
	{"yy", "99", "2099-01-01 00:00:00"},
	{"yy", "2020", ""},
	{"y", "5", "0005-01-01 00:00:00"},
	{"y", "2020", "2020-01-01 00:00:00"},
	{"y", "-5", "-0005-01-01 00:00:00"},
	{"y", "+5", ""},
	{"y", "12345", "+12345-01-01 00:00:00"},
	{"yyy-M-d", "2020-1-2", "2020-01-02 00:00:00"},
	{"yyy-M-d", "020-1-2", "0020-01-02 00:00:00"},
	{"yyyyy-MM", "02020-01", "2020-01-01 00:00:00"},
	{"yyyyy-MM", "2020-01", ""},
	{"yyyyyy", "002020", "2020-01-01 00:00:00"},
	{"M/d/yyyy", "1/2/2020", "2020-01-02 00:00:00"},
	{"M/d/yyyy", "01/02/2020", "2020-01-02 00:00:00"},
	{"M/d/yyyy", "13/1/2020", ""},
	{"M/d/yyyy", "-1/2/2020", ""},
	{"dd MMM yyyy", "02 Jan 2020", "2020-01-02 00:00:00"},
	{"dd MMM yyyy", "02 jan 2020", "2020-01-02 00:00:00"},
	{"dd MMM yyyy", "02 JAN 2020", "2020-01-02 00:00:00"},
	{"dd MMM yyyy", "2 Jan 2020", ""},
	{"dd MMM yyyy", "02 January 2020", ""},
	{"d MMMM yyyy", "2 January 2020", "2020-01-02 00:00:00"},
	{"d MMMM yyyy", "2 Jan 2020", ""},
	{"dd LLL yyyy", "02 Jan 2020", "2020-01-02 00:00:00"},
	{"yyyy-MM-dd hh:mm a", "2020-01-02 03:04 PM", "2020-01-02 15:04:00"},
	{"yyyy-MM-dd hh:mm a", "2020-01-02 12:00 am", "2020-01-02 00:00:00"},
	{"yyyy-MM-dd hh:mm a", "2020-01-02 13:00 AM", ""},
	{"yyyy-MM-dd hh:mm a", "2020-01-02 03:04 p", ""},
	{"hh:mm", "03:04", "1970-01-01 03:04:00"},
	{"a", "PM", "1970-01-01 12:00:00"},
	{"a", "am", "1970-01-01 00:00:00"},
	{"yyyy-MM-dd kk:mm", "2020-01-02 24:00", "2020-01-02 00:00:00"},
	{"yyyy-MM-dd kk:mm", "2020-01-02 01:00", "2020-01-02 01:00:00"},
	{"yyyy-MM-dd kk:mm", "2020-01-02 00:00", ""},
	{"KK a", "00 PM", "1970-01-01 12:00:00"},
	{"KK a", "11 AM", "1970-01-01 11:00:00"},
	{"KK a", "12 AM", ""},
	{"yyyy-MM-dd HH:mm:ss.SSS", "2020-01-02 03:04:05.1", "2020-01-02 03:04:05.1"},
	{"yyyy-MM-dd HH:mm:ss.SSS", "2020-01-02 03:04:05.123", "2020-01-02 03:04:05.123"},
	{"yyyy-MM-dd HH:mm:ss.SSS", "2020-01-02 03:04:05.1234", ""},
	{"yyyy-MM-dd HH:mm:ss.SSS", "2020-01-02 03:04:05", ""},
	{"HH:mm:ss.SSSSSSSSS", "03:04:05.123456789", "1970-01-01 03:04:05.123456"},
	{"ss.S", "05.1", "1970-01-01 00:00:05.1"},
	{"ss.S", "05.12", ""},
	{"yyyy-MM-dd[ HH:mm[:ss]]", "2020-01-02", "2020-01-02 00:00:00"},
	{"yyyy-MM-dd[ HH:mm[:ss]]", "2020-01-02 03:04", "2020-01-02 03:04:00"},
	{"yyyy-MM-dd[ HH:mm[:ss]]", "2020-01-02 03:04:05", "2020-01-02 03:04:05"},
	{"yyyy-MM-dd[ HH:mm[:ss]]", "2020-01-02 03", ""},
	{"yyyy-MM-dd'T'HH:mm:ss", "2020-01-02T03:04:05", "2020-01-02 03:04:05"},
	{"yyyy-MM-dd'T'HH:mm:ss", "2020-01-02t03:04:05", "2020-01-02 03:04:05"},
	{"yyyy''MM", "2020'01", "2020-01-01 00:00:00"},
	{"'it''s' yyyy", "it's 2020", "2020-01-01 00:00:00"},
	{"yyyy-MM-dd HH:mm:ssX", "2020-01-02 03:04:05Z", "2020-01-01 22:04:05"},
	{"yyyy-MM-dd HH:mm:ssX", "2020-01-02 03:04:05+02", "2020-01-01 20:04:05"},
	{"yyyy-MM-dd HH:mm:ssX", "2020-01-02 03:04:05+0230", "2020-01-01 19:34:05"},
	{"yyyy-MM-dd HH:mm:ssX", "2020-01-02 03:04:05+02:30", ""},
	{"yyyy-MM-dd HH:mm:ssXX", "2020-01-02 03:04:05Z", "2020-01-01 22:04:05"},
	{"yyyy-MM-dd HH:mm:ssXX", "2020-01-02 03:04:05+0200", "2020-01-01 20:04:05"},
	{"yyyy-MM-dd HH:mm:ssXX", "2020-01-02 03:04:05+02", ""},
	{"yyyy-MM-dd HH:mm:ssXXX", "2020-01-02 03:04:05Z", "2020-01-01 22:04:05"},
	{"yyyy-MM-dd HH:mm:ssXXX", "2020-01-02 03:04:05+02:00", "2020-01-01 20:04:05"},
	{"yyyy-MM-dd HH:mm:ssXXX", "2020-01-02 03:04:05+0200", ""},
	{"yyyy-MM-dd HH:mm:ssxxx", "2020-01-02 03:04:05Z", ""},
	{"yyyy-MM-dd HH:mm:ssxxx", "2020-01-02 03:04:05+00:00", "2020-01-01 22:04:05"},
	{"yyyy-MM-dd HH:mm:ssZ", "2020-01-02 03:04:05+0200", "2020-01-01 20:04:05"},
	{"yyyy-MM-dd HH:mm:ssZ", "2020-01-02 03:04:05Z", ""},
	{"yyyy-MM-dd HH:mm:ssZZZZ", "2020-01-02 03:04:05GMT+02:00", "2020-01-01 20:04:05"},
	{"yyyy-MM-dd HH:mm:ssZZZZZ", "2020-01-02 03:04:05+02:00", "2020-01-01 20:04:05"},
	{"yyyy-MM-dd HH:mm:ssZZZZZ", "2020-01-02 03:04:05Z", "2020-01-01 22:04:05"},
	{"yyyy-MM-dd HH:mm:ss z", "2020-01-02 03:04:05 PST", "2020-01-02 06:04:05"},
	{"yyyy-MM-dd HH:mm:ss z", "2020-01-02 03:04:05 UTC", "2020-01-01 22:04:05"},
	{"yyyy-MM-dd HH:mm:ss z", "2020-01-02 03:04:05 Europe/Paris", "2020-01-01 21:04:05"},
	{"yyyy-MM-dd HH:mm:ss z", "2020-01-02 03:04:05 CET", "2020-01-01 21:04:05"},
	{"yyyy-MM-dd HH:mm:ss z", "2020-01-02 03:04:05 GMT+2", ""},
	{"yyyy-MM-dd HH:mm:ss zzzz", "2020-01-02 03:04:05 Pacific Standard Time", "2020-01-02 06:04:05"},
	{"yyyy-MM-dd HH:mm:ss VV", "2020-01-02 03:04:05 Europe/Paris", "2020-01-01 21:04:05"},
	{"yyyy-MM-dd HH:mm:ss VV", "2020-01-02 03:04:05 europe/paris", "2020-01-01 21:04:05"},
	{"yyyy-MM-dd HH:mm:ss VV", "2020-01-02 03:04:05 +02:00", "2020-01-01 20:04:05"},
	{"yyyy-MM-dd HH:mm:ss VV", "2020-01-02 03:04:05 UTC+2", ""},
	{"yyyy-MM-dd HH:mm:ss VV", "2020-01-02 03:04:05 Z", "2020-01-01 22:04:05"},
	{"yyyy-MM-dd HH:mm:ss O", "2020-01-02 03:04:05 GMT+2", "2020-01-01 20:04:05"},
	{"yyyy-MM-dd HH:mm:ss O", "2020-01-02 03:04:05 GMT", "2020-01-01 22:04:05"},
	{"yyyy-MM-dd HH:mm:ss O", "2020-01-02 03:04:05 GMT+02:00", "2020-01-01 20:04:05"},
	{"yyyy-MM-dd HH:mm:ss OOOO", "2020-01-02 03:04:05 GMT+02:00", "2020-01-01 20:04:05"},
	{"yyyy-DDD", "2020-060", "2020-02-29 00:00:00"},
	{"yyyy-DDD", "2020-366", "2020-12-31 00:00:00"},
	{"yyyy-DDD", "2021-366", ""},
	{"yyyy-DDD", "2020-60", ""},
	{"yyyy-D", "2020-60", "2020-02-29 00:00:00"},
	{"yyyy G", "2020 AD", "2020-01-01 00:00:00"},
	{"yyyy G", "0044 BC", "-0043-01-01 00:00:00"},
	{"yyyy G", "2020 ad", "2020-01-01 00:00:00"},
	{"yyyy GGGG", "2020 Anno Domini", "2020-01-01 00:00:00"},
	{"yyyy-MM-dd", "2020-01-02", "2020-01-02 00:00:00"},
	{"yyyy-MM-dd", "2020-01-02 03", ""},
	{"yyyy-MM-dd", "02020-01-02", ""},
	{"yyyy-MM-dd", "10000-01-01", ""},
	{"yyyy-MM-dd", "+10000-01-01", "+10000-01-01 00:00:00"},
	{"MM-dd", "02-29", ""},
	{"MM-dd", "01-31", "1970-01-31 00:00:00"},
	{"HH", "24", ""},
	{"HH", "5", ""},
	{"HH", "05", "1970-01-01 05:00:00"},
	{"yyyy", "2020", "2020-01-01 00:00:00"},
	{"d", "31", "1970-01-31 00:00:00"},
	{"yyyyMM", "202013", ""},
	{"yyyyMM", "202012", "2020-12-01 00:00:00"},
	{"dd/MM/yy", "01/02/20", "2020-02-01 00:00:00"},
	{"dd/MM/yy", "01/02/1999", ""},
	{"h:m:s a", "3:4:5 PM", "1970-01-01 15:04:05"},
	{"yyyy-MM-dd HH:mm:ss,SSS", "2020-01-02 03:04:05,123", "2020-01-02 03:04:05.123"},
	{"MMM d, yyyy", "Jan 2, 2020", "2020-01-02 00:00:00"},
	{"MMM d, yyyy", "Sept 2, 2020", ""},
	{"MMM d, yyyy", "Sep 2, 2020", "2020-09-02 00:00:00"},
	{"yyyy年MM月", "2020年05月", "2020-05-01 00:00:00"},
	{"H:mm", "3:04", "1970-01-01 03:04:00"},
	{"H:mm", "13:04", "1970-01-01 13:04:00"},
	{"yyyy-MM-dd HH:mm:ss.SSSSSSXXX", "2020-01-02 03:04:05.123456+02:00", "2020-01-01 20:04:05.123456"},
}

func TestParse(t *testing.T) {
	zone := newYork(t)
	for _, c := range parsed {
		f, err := pattern.Parse(c.pattern)
		if err != nil {
			t.Errorf("%q: %v", c.pattern, err)
			continue
		}
		got := ""
		if tm, ok := f.Parse(c.text); ok {
			in := zone
			if tm.Zone != nil {
				in = tm.Zone
			}
			day := time.Unix(tm.Days*86400, 0).UTC()
			sec := int(tm.Micros / 1_000_000)
			at := time.Date(day.Year(), day.Month(), day.Day(), 0, 0, sec, int(tm.Micros%1_000_000)*1000, in)
			got = wall(at.In(zone))
		}
		if got != c.want {
			t.Errorf("parse %q by %q = %q, want %q", c.text, c.pattern, got, c.want)
		}
	}
}

// printed is what real Spark answers for date_format(timestamp, pattern) in New York.
var printed = []struct{ pattern, at, want string }{
	{"yyyy-MM-dd HH:mm:ss.SSSSSS", "2020-01-02 03:04:05.678901", "2020-01-02 03:04:05.678901"},
	{"yyyy-MM-dd HH:mm:ss.SSSSSS", "1999-12-31 23:59:59", "1999-12-31 23:59:59.000000"},
	{"yyyy-MM-dd HH:mm:ss.SSSSSS", "2024-07-15 12:00:00", "2024-07-15 12:00:00.000000"},
	{"yyyy-MM-dd HH:mm:ss.SSSSSS", "-0044-03-15 00:30:00", "-0044-03-15 00:30:00.000000"},
	{"yyyy-MM-dd HH:mm:ss.SSSSSS", "12345-06-07 08:09:10.5", "+12345-06-07 08:09:10.500000"},
	{"yy y yyy yyyyy yyyyyy", "2020-01-02 03:04:05.678901", "20 2020 2020 02020 002020"},
	{"yy y yyy yyyyy yyyyyy", "1999-12-31 23:59:59", "99 1999 1999 01999 001999"},
	{"yy y yyy yyyyy yyyyyy", "2024-07-15 12:00:00", "24 2024 2024 02024 002024"},
	{"yy y yyy yyyyy yyyyyy", "-0044-03-15 00:30:00", "44 -44 -044 -00044 -000044"},
	{"yy y yyy yyyyy yyyyyy", "12345-06-07 08:09:10.5", "45 12345 12345 12345 012345"},
	{"M MM MMM MMMM L LL LLL LLLL", "2020-01-02 03:04:05.678901", "1 01 Jan January 1 01 Jan January"},
	{"M MM MMM MMMM L LL LLL LLLL", "1999-12-31 23:59:59", "12 12 Dec December 12 12 Dec December"},
	{"M MM MMM MMMM L LL LLL LLLL", "2024-07-15 12:00:00", "7 07 Jul July 7 07 Jul July"},
	{"M MM MMM MMMM L LL LLL LLLL", "-0044-03-15 00:30:00", "3 03 Mar March 3 03 Mar March"},
	{"M MM MMM MMMM L LL LLL LLLL", "12345-06-07 08:09:10.5", "6 06 Jun June 6 06 Jun June"},
	{"d dd D DD DDD", "2020-01-02 03:04:05.678901", "2 02 2 02 002"},
	{"d dd D DD DDD", "1999-12-31 23:59:59", "31 31 365 365 365"},
	{"d dd D DD DDD", "2024-07-15 12:00:00", "15 15 197 197 197"},
	{"d dd D DD DDD", "-0044-03-15 00:30:00", "15 15 75 75 075"},
	{"d dd D DD DDD", "12345-06-07 08:09:10.5", "7 07 158 158 158"},
	{"E EE EEE EEEE F", "2020-01-02 03:04:05.678901", "Thu Thu Thu Thursday 2"},
	{"E EE EEE EEEE F", "1999-12-31 23:59:59", "Fri Fri Fri Friday 3"},
	{"E EE EEE EEEE F", "2024-07-15 12:00:00", "Mon Mon Mon Monday 1"},
	{"E EE EEE EEEE F", "-0044-03-15 00:30:00", "Thu Thu Thu Thursday 1"},
	{"E EE EEE EEEE F", "12345-06-07 08:09:10.5", "Thu Thu Thu Thursday 7"},
	{"Q QQ QQQ QQQQ q qq qqq qqqq", "2020-01-02 03:04:05.678901", "1 01 Q1 1st quarter 1 01 Q1 1st quarter"},
	{"Q QQ QQQ QQQQ q qq qqq qqqq", "1999-12-31 23:59:59", "4 04 Q4 4th quarter 4 04 Q4 4th quarter"},
	{"Q QQ QQQ QQQQ q qq qqq qqqq", "2024-07-15 12:00:00", "3 03 Q3 3rd quarter 3 03 Q3 3rd quarter"},
	{"Q QQ QQQ QQQQ q qq qqq qqqq", "-0044-03-15 00:30:00", "1 01 Q1 1st quarter 1 01 Q1 1st quarter"},
	{"Q QQ QQQ QQQQ q qq qqq qqqq", "12345-06-07 08:09:10.5", "2 02 Q2 2nd quarter 2 02 Q2 2nd quarter"},
	{"a h hh H HH k kk K KK", "2020-01-02 03:04:05.678901", "AM 3 03 3 03 3 03 3 03"},
	{"a h hh H HH k kk K KK", "1999-12-31 23:59:59", "PM 11 11 23 23 23 23 11 11"},
	{"a h hh H HH k kk K KK", "2024-07-15 12:00:00", "PM 12 12 12 12 12 12 0 00"},
	{"a h hh H HH k kk K KK", "-0044-03-15 00:30:00", "AM 12 12 0 00 24 24 0 00"},
	{"a h hh H HH k kk K KK", "12345-06-07 08:09:10.5", "AM 8 08 8 08 8 08 8 08"},
	{"m mm s ss S SS SSSSSSSSS", "2020-01-02 03:04:05.678901", "4 04 5 05 6 67 678901000"},
	{"m mm s ss S SS SSSSSSSSS", "1999-12-31 23:59:59", "59 59 59 59 0 00 000000000"},
	{"m mm s ss S SS SSSSSSSSS", "2024-07-15 12:00:00", "0 00 0 00 0 00 000000000"},
	{"m mm s ss S SS SSSSSSSSS", "-0044-03-15 00:30:00", "30 30 0 00 0 00 000000000"},
	{"m mm s ss S SS SSSSSSSSS", "12345-06-07 08:09:10.5", "9 09 10 10 5 50 500000000"},
	{"X XX XXX XXXX XXXXX", "2020-01-02 03:04:05.678901", "-05 -0500 -05:00 -0500 -05:00"},
	{"X XX XXX XXXX XXXXX", "1999-12-31 23:59:59", "-05 -0500 -05:00 -0500 -05:00"},
	{"X XX XXX XXXX XXXXX", "2024-07-15 12:00:00", "-04 -0400 -04:00 -0400 -04:00"},
	{"X XX XXX XXXX XXXXX", "-0044-03-15 00:30:00", "-0456 -0456 -04:56 -045602 -04:56:02"},
	{"X XX XXX XXXX XXXXX", "12345-06-07 08:09:10.5", "-04 -0400 -04:00 -0400 -04:00"},
	{"x xx xxx xxxx xxxxx", "2020-01-02 03:04:05.678901", "-05 -0500 -05:00 -0500 -05:00"},
	{"x xx xxx xxxx xxxxx", "1999-12-31 23:59:59", "-05 -0500 -05:00 -0500 -05:00"},
	{"x xx xxx xxxx xxxxx", "2024-07-15 12:00:00", "-04 -0400 -04:00 -0400 -04:00"},
	{"x xx xxx xxxx xxxxx", "-0044-03-15 00:30:00", "-0456 -0456 -04:56 -045602 -04:56:02"},
	{"x xx xxx xxxx xxxxx", "12345-06-07 08:09:10.5", "-04 -0400 -04:00 -0400 -04:00"},
	{"Z ZZ ZZZ ZZZZ ZZZZZ", "2020-01-02 03:04:05.678901", "-0500 -0500 -0500 GMT-05:00 -05:00"},
	{"Z ZZ ZZZ ZZZZ ZZZZZ", "1999-12-31 23:59:59", "-0500 -0500 -0500 GMT-05:00 -05:00"},
	{"Z ZZ ZZZ ZZZZ ZZZZZ", "2024-07-15 12:00:00", "-0400 -0400 -0400 GMT-04:00 -04:00"},
	{"Z ZZ ZZZ ZZZZ ZZZZZ", "-0044-03-15 00:30:00", "-0456 -0456 -0456 GMT-04:56:02 -04:56:02"},
	{"Z ZZ ZZZ ZZZZ ZZZZZ", "12345-06-07 08:09:10.5", "-0400 -0400 -0400 GMT-04:00 -04:00"},
	{"z zz zzz", "2020-01-02 03:04:05.678901", "EST EST EST"},
	{"z zz zzz", "1999-12-31 23:59:59", "EST EST EST"},
	{"z zz zzz", "2024-07-15 12:00:00", "EDT EDT EDT"},
	{"z zz zzz", "12345-06-07 08:09:10.5", "EDT EDT EDT"},
	{"VV", "2020-01-02 03:04:05.678901", "America/New_York"},
	{"VV", "1999-12-31 23:59:59", "America/New_York"},
	{"VV", "2024-07-15 12:00:00", "America/New_York"},
	{"VV", "-0044-03-15 00:30:00", "America/New_York"},
	{"VV", "12345-06-07 08:09:10.5", "America/New_York"},
	{"O OOOO", "2020-01-02 03:04:05.678901", "GMT-5 GMT-05:00"},
	{"O OOOO", "1999-12-31 23:59:59", "GMT-5 GMT-05:00"},
	{"O OOOO", "2024-07-15 12:00:00", "GMT-4 GMT-04:00"},
	{"O OOOO", "-0044-03-15 00:30:00", "GMT-4:56:02 GMT-04:56:02"},
	{"O OOOO", "12345-06-07 08:09:10.5", "GMT-4 GMT-04:00"},
	{"G GG GGGG", "2020-01-02 03:04:05.678901", "AD AD Anno Domini"},
	{"G GG GGGG", "1999-12-31 23:59:59", "AD AD Anno Domini"},
	{"G GG GGGG", "2024-07-15 12:00:00", "AD AD Anno Domini"},
	{"G GG GGGG", "-0044-03-15 00:30:00", "BC BC Before Christ"},
	{"G GG GGGG", "12345-06-07 08:09:10.5", "AD AD Anno Domini"},
	{"'at' yyyy''", "2020-01-02 03:04:05.678901", "at 2020'"},
	{"'at' yyyy''", "1999-12-31 23:59:59", "at 1999'"},
	{"'at' yyyy''", "2024-07-15 12:00:00", "at 2024'"},
	{"'at' yyyy''", "-0044-03-15 00:30:00", "at -0044'"},
	{"'at' yyyy''", "12345-06-07 08:09:10.5", "at +12345'"},
	{"[yyyy]", "2020-01-02 03:04:05.678901", "2020"},
	{"[yyyy]", "1999-12-31 23:59:59", "1999"},
	{"[yyyy]", "2024-07-15 12:00:00", "2024"},
	{"[yyyy]", "-0044-03-15 00:30:00", "-0044"},
	{"[yyyy]", "12345-06-07 08:09:10.5", "+12345"},
}

func instant(t *testing.T, text string, zone *time.Location) int64 {
	t.Helper()
	var y, mo, d, h, mi, s, micros int
	body, neg := strings.CutPrefix(text, "-")
	if _, err := fmt.Sscanf(body, "%d-%d-%d %d:%d:%d", &y, &mo, &d, &h, &mi, &s); err != nil {
		t.Fatal(err)
	}
	if neg {
		y = -y
	}
	if _, frac, ok := strings.Cut(body, "."); ok {
		if _, err := fmt.Sscanf((frac + "00000")[:6], "%d", &micros); err != nil {
			t.Fatal(err)
		}
	}
	return time.Date(y, time.Month(mo), d, h, mi, s, 0, zone).Unix()*1_000_000 + int64(micros)
}

func TestFormat(t *testing.T) {
	zone := newYork(t)
	for _, c := range printed {
		f, err := pattern.Parse(c.pattern)
		if err != nil {
			t.Errorf("%q: %v", c.pattern, err)
			continue
		}
		if got := f.Format(instant(t, c.at, zone), zone); got != c.want {
			t.Errorf("format %s by %q = %q, want %q", c.at, c.pattern, got, c.want)
		}
	}
}

func TestRefusedPatterns(t *testing.T) {
	for _, p := range []string{
		"YYYY", "ww", "u", "e", "c", "B", "A", "n", "N", "p", "GGGGG", "EEEEE", "MMMMM", "yyyyyyy", "SSSSSSSSSS", "V", "OO", "ZZZZZZ", "aa", "ddd", "HHH", "{", "#", "'x", "yyyy]", "QQQQQ", "FF", "T", "b", "DDDD", "zzzzz", "XXXXXX", "W", "mmm", "sss",
	} {
		_, err := pattern.Parse(p)
		var pe *pattern.Error
		if !errors.As(err, &pe) || pe.Pattern != p {
			t.Errorf("Parse(%q) = %v, want an *Error", p, err)
		}
	}
	for _, p := range []string{"E yyyy", "EEEE", "Q", "qq", "F"} {
		f, err := pattern.Parse(p)
		if err != nil || f.CanParse() == nil {
			t.Errorf("%q prints and cannot parse: %v", p, err)
		}
	}
}

// What a complete pattern prints, it parses back.
// TestLongPatterns compiles texts that are no patterns: what a text costs must not grow faster than the text.
func TestLongPatterns(t *testing.T) {
	for _, piece := range []string{"1, ", "-", "'a' ", "''", "yyyy-MM-dd ", "[-]", "éé"} {
		const most = 1 << 20
		text := strings.Repeat(piece, most/len(piece))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := pattern.Parse(text); err != nil {
			t.Errorf("%q repeated: %v", piece, err)
		}
		runtime.ReadMemStats(&after)
		if got := after.TotalAlloc - before.TotalAlloc; got > 1000*most {
			t.Errorf("%q repeated to %d bytes: took %d bytes", piece, most, got)
		}
	}
}

func TestRoundTrip(t *testing.T) {
	var complete []*pattern.Formatter
	for _, p := range []string{
		"yyyy-MM-dd HH:mm:ss.SSSSSS", "yyyyMMddHHmmss.SSSSSS", "dd/MMM/yyyy hh:mm:ss.SSSSSS a", "yyyy-DDD'T'HH:mm:ss.SSSSSS",
		"MMMM d, yyyy K:m:s.SSSSSS a", "yyyy-MM-dd[ HH:mm:ss[.SSSSSS]]", "G yyyy M d k m s SSSSSS",
	} {
		f, err := pattern.Parse(p)
		if err != nil {
			t.Fatal(err)
		}
		complete = append(complete, f)
	}
	rapid.Check(t, func(t *rapid.T) {
		f := rapid.SampledFrom(complete).Draw(t, "pattern")
		micros := rapid.Int64Range(-62_135_596_800_000_000, 253_402_300_799_999_999).Draw(t, "micros")
		text := f.Format(micros, time.UTC)
		tm, ok := f.Parse(text)
		if !ok {
			t.Fatalf("%s cannot parse its own %q", f, text)
		}
		if got, _ := tm.Local(); got != micros {
			t.Fatalf("%s: %d printed as %q, parsed as %d", f, micros, text, got)
		}
	})
}

func FuzzPattern(f *testing.F) {
	for _, c := range parsed {
		f.Add(c.pattern, c.text)
	}
	f.Fuzz(func(t *testing.T, p, text string) {
		fm, err := pattern.Parse(p)
		if err != nil {
			return
		}
		fm.Format(1_577_934_245_678_901, time.UTC)
		if tm, ok := fm.Parse(text); ok {
			if tm.Micros < 0 || tm.Micros >= 86_400_000_000 {
				t.Fatalf("%q by %q: %d µs of the day", text, p, tm.Micros)
			}
		}
	})
}
