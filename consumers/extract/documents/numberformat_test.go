package documents

import (
	"strings"
	"testing"
)

// The answers are those of a spreadsheet program, except for dates in numbers alone, which are ISO
// dates.
func TestNumbersStandAsTheSheetShowsThem(t *testing.T) {
	for _, c := range []struct{ value, code, want string }{
		{"1599.99", "", "1599.99"}, {"1599.99", "General", "1599.99"}, {"x", "0.00", "x"}, {"0.1", "0", "0"}, {"12", "1", "12"},
		{"1599.99", "7", "$1,599.99"}, {"-1599.99", "8", "($1,599.99)"}, {"-1599.99", "4", "-1,599.99"}, {"-0.001", "0.00", "0.00"},
		{"0.02", "9", "2%"}, {"0.025", "0%", "3%"}, {"0.025", "10", "2.50%"}, {"1234567", "#,##0", "1,234,567"}, {"1234567", "#,##0,", "1,235"},
		{"1234567", `0.0,,"M"`, "1.2M"}, {"12", "0000", "0012"}, {"5551234", "###-####", "555-1234"}, {"0.5", "#.##", ".5"}, {"0.5", "0.##", "0.5"},
		{"3", "0.##", "3."}, {"19.99", `0 "dollars and" .00 "cents"`, "19 dollars and .99 cents"}, {"2.5", "12", "2 1/2"}, {"0.333", "# ?/?", "1/3"},
		{"2.97", "# ?/8", "3"}, {"2.5", "?/?", "5/2"}, {"123456", "11", "1.23E+05"}, {"0.00012", "0.0E-0", "1.2E-4"}, {"9999.9", "0.0E+0", "1.0E+4"},
		{"5", "[>=100]0;[<10]\"few\";0.0", "few"}, {"50", "[>=100]0;[<10]\"few\";0.0", "50.0"}, {"7", "[Red]0.0", "7.0"},
		{"1200", "[$€-407] #,##0", "€ 1,200"}, {"3", `0" kg"`, "3 kg"}, {"-3", "0;;", ""}, {"-3", `0;"none"`, "none"}, {"0", `0;-0;"zero"`, "zero"},
		{"3", `General" pieces"`, "3 pieces"}, {"1.5", "0\\;0", "0;2"},
		{"45322", "14", "2024-01-31"}, {"45322", "dd/mm/yyyy", "2024-01-31"}, {"45322.5", "22", "2024-01-31 12:00"}, {"45322", "30", "2024-01-31"},
		{"39219", "15", "17-May-07"}, {"39219", "mmm yyyy", "May 2007"}, {"39219", "[$-419]d mmmm yyyy", "2007-05-17"}, {"39219", "[$-409]d mmmm yyyy", "17 May 2007"},
		{"39219.180555555555", `"At" h:mm AM/PM "on" dddd mmmm d, yyyy`, "At 4:20 AM on Thursday May 17, 2007"},
		{"0.760416666666667", "20", "18:15"}, {"0.760416666666667", "h:mm AM/PM", "6:15 PM"}, {"1.5", "[h]:mm", "36:00"}, {"0.5", "mm:ss", "00:00"},
		{"45322", "m/yy", "1/24"}, {"45322", "mmmmm", "J"}, {"-5", "14", "-5"}, {"1e300", "14", "1e+300"}, {"1e300", "# ?/?", strings.TrimSpace("1" + strings.Repeat("0", 300))},
	} {
		got := showNumber(c.value, c.code, false)
		if c.value == "1e300" && c.code != "14" {
			if len(got) != 301 {
				t.Errorf("%s as %q: %d characters", c.value, c.code, len(got))
			}
			continue
		}
		if got != c.want {
			t.Errorf("%s as %q: %q, want %q", c.value, c.code, got, c.want)
		}
	}
	if got := showNumber("43860", "14", true); got != "2024-01-31" {
		t.Errorf("a workbook of 1904 shows %q", got)
	}
}

// FuzzNumberFormat protects from codes that people and programs never wrote.
func FuzzNumberFormat(f *testing.F) {
	for _, code := range []string{`0 "a" .00;[Red]\(#,##0\)`, "# ??/16", "[h]:mm:ss.000", "[>=1]E+0", "mmmmmm yyyyy", `_`, `\`, "[$", "A/P", "0E+", "?/", "[$-409]dddd"} {
		f.Add("12.5", code)
		f.Add("-1e300", code)
		f.Add("NaN", code)
	}
	f.Fuzz(func(t *testing.T, value, code string) {
		if got := showNumber(value, code, false); len(got) > len(value)+3*len(code)+500 {
			t.Errorf("%q as %q has %d bytes", value, code, len(got))
		}
	})
}
