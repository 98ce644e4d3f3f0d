package dates

import (
	"testing"
	"time"
)

// TestParse protects the spellings that pages use, one a line, by language and machine.
func TestParse(t *testing.T) {
	cases := map[string]string{
		"2024-05-17":                        "2024-05-17T00:00:00Z",
		"2024-05-17T10:15:30Z":              "2024-05-17T10:15:30Z",
		"2024-05-17T10:15:30.123+02:00":     "2024-05-17T08:15:30Z",
		"2024-05-17 10:15":                  "2024-05-17T10:15:00Z",
		"20240517":                          "2024-05-17T00:00:00Z",
		"20240517T101530":                   "2024-05-17T10:15:30Z",
		"1715940930":                        "2024-05-17T10:15:30Z",
		"1715940930000":                     "2024-05-17T10:15:30Z",
		"Fri, 17 May 2024 10:15:30 GMT":     "2024-05-17T10:15:30Z",
		"Fri, 17 May 2024 10:15:30 -0500":   "2024-05-17T15:15:30Z",
		"May 17, 2024 at 9:05 pm":           "2024-05-17T21:05:00Z",
		"May 17th, 2024 12:05 AM":           "2024-05-17T00:05:00Z",
		"17. Mai 2024, 10:15 Uhr":           "2024-05-17T10:15:00Z",
		"17.05.2024":                        "2024-05-17T00:00:00Z",
		"17/05/2024":                        "2024-05-17T00:00:00Z",
		"17.5.24":                           "2024-05-17T00:00:00Z",
		"17 de mayo de 2024":                "2024-05-17T00:00:00Z",
		"17 mai 2024":                       "2024-05-17T00:00:00Z",
		"17 мая 2024 года, 10:15":           "2024-05-17T10:15:00Z",
		"17 травня 2024":                    "2024-05-17T00:00:00Z",
		"17 maja 2024":                      "2024-05-17T00:00:00Z",
		"17 Μαΐου 2024":                     "2024-05-17T00:00:00Z",
		"2024年5月17日 10:15":                  "2024-05-17T10:15:00Z",
		"2024년 5월 17일":                      "2024-05-17T00:00:00Z",
		"Posted on 7 March 2020 by someone": "2020-03-07T00:00:00Z",
		"4 มีนาคม 2564":                     "2021-03-04T00:00:00Z",
		"4 มี.ค. 2564 เวลา 10:15 น.":        "2021-03-04T10:15:00Z",
		"วันที่ 4 มีนาคม พ.ศ. ๒๕๖๔": "2021-03-04T00:00:00Z",
		"04/03/2564":              "2021-03-04T00:00:00Z",
		"令和3年3月4日":                "2021-03-04T00:00:00Z",
		"令和元年5月1日":                "2019-05-01T00:00:00Z",
		"發布日期：中華民國110年3月4日":       "2021-03-04T00:00:00Z",
		"２０２１年３月４日":               "2021-03-04T00:00:00Z",
		"نشر في ٤ مارس ٢٠٢١":      "2021-03-04T00:00:00Z",
		"۱۴ اسفند ۱۳۹۹":           "2021-03-04T00:00:00Z",
		"۱۴۰۰/۰۱/۰۱":              "2021-03-21T00:00:00Z",
		"30 اسفند 1399":           "2021-03-20T00:00:00Z",
		"ב-4 במרץ 2021":           "2021-03-04T00:00:00Z",
		"4 मार्च 2021":            "2021-03-04T00:00:00Z",
		"2021. március 4.":        "2021-03-04T00:00:00Z",
		"ngày 4 tháng 3 năm 2021": "2021-03-04T00:00:00Z",
		"1399/12/14":              "",
		"31.02.2024":              "",
		"version 1.2.3":           "",
		"1789-07-14":              "",
		"call 2024-0517":          "",
		"":                        "",
	}
	for in, want := range cases {
		got := ""
		if at, ok := Parse(in); ok {
			got = at.UTC().Format(time.RFC3339)
		}
		if got != want {
			t.Errorf("%q: %s, want %s", in, got, want)
		}
	}
	if at, _ := Parse("2024-05-17T23:30:00-05:00"); at.Format(time.RFC3339) != "2024-05-17T23:30:00-05:00" {
		t.Errorf("the zone was lost, and with it the day: %v", at)
	}
	if at, _ := ParseIn("03/04/2020", MonthFirst); at.Month() != time.March {
		t.Error("American order was not followed")
	}
}

// TestInURL protects the dates that sites write into their addresses, and ids from being taken for
// them.
func TestInURL(t *testing.T) {
	cases := map[string]string{
		"http://e.com/2024/05/17/title":  "2024-05-17",
		"http://e.com/news/2024-05-17-x": "2024-05-17",
		"http://e.com/20240517/x":        "2024-05-17",
		"http://e.com/2024/may/17/x":     "2024-05-17",
		"http://e.com/17-05-2024":        "2024-05-17",
		"http://e.com/2024/05/":          "",
		"http://e.com/id20240517":        "",
		"http://2024-05-17.com/":         "",
		"http://e.com/x?date=2024-05-17": "",
	}
	for in, want := range cases {
		got := ""
		if at, ok := InURL(in); ok {
			got = at.Format(time.DateOnly)
		}
		if got != want {
			t.Errorf("%s: %q, want %q", in, got, want)
		}
	}
}

// FuzzFind protects positions and ranges: what is found stands in the text and is a day of the
// web's time.
func FuzzFind(f *testing.F) {
	for _, s := range []string{"17 de mayo de 2024 10:15", "2024年5月17日", "20240517T1015+0200", "1.2.2003.4", "May 7 , 2020 am"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, found := range All(s, MonthFirst, 10) {
			if found.Start < 0 || found.End > len(s) || found.Start >= found.End {
				t.Fatalf("%q: at %d to %d", s, found.Start, found.End)
			}
			if y := found.Day.Year(); y < minYear || y > maxYear {
				t.Fatalf("%q: year %d", s, y)
			}
		}
		Parse(s)
		InURL("http://e.com/" + s)
	})
}

func TestNumbersOfSectionsAndVersionsAreNoDatesInText(t *testing.T) {
	for _, s := range []string{
		"4.2.10. Binary Data Types", "see 8.1.12 for details", "Python 3.11.02 is out", "version 10.02.11 fixes it",
		"Section 12.10.11 says", "release 2023.1.12", "10.02.11.5 is newer", "Глава 10.11.12",
		"Debian 12.04.22 and later", "Gecko/20040216", "<20050711.125305@example.org>", "build-20230508", "id b20200307",
	} {
		if found := InText(s, DayFirst, 3); len(found) > 0 {
			t.Errorf("%q: %s", s, found[0].Time.Format(time.DateOnly))
		}
	}
	for s, want := range map[string]string{
		"Stand: 12.03.21, 10 Uhr": "2021-03-12", "am 7.3.2020 in Bonn": "2020-03-07", "2020.03.07 was a day": "2020-03-07",
		"2020-03-07": "2020-03-07", "Build: 20230508": "2023-05-08", "Опубликовано от 12.03.21": "2021-03-12",
		"Posted 03/07/2020.": "2020-07-03", "written on 7 March 2020.": "2020-03-07",
	} {
		found := InText(s, DayFirst, 3)
		if len(found) != 1 || found[0].Time.Format(time.DateOnly) != want {
			t.Errorf("%q: %v, want %s", s, found, want)
		}
	}
}
