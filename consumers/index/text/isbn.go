package text

import "strings"

// OtherISBN returns the number of a book in 13 digits for its number in 10, or the other way; "" if
// it is neither, or if its last digit is wrong.
func OtherISBN(s string) string {
	s = strings.ToUpper(s)
	switch len(s) {
	case 10:
		if strings.Trim(s[:9], "0123456789") == "" && check10(s[:9]) == s[9] {
			return "978" + s[:9] + string(check13("978"+s[:9]))
		}
	case 13:
		if strings.HasPrefix(s, "978") && strings.Trim(s, "0123456789") == "" && check13(s[:12]) == s[12] {
			return s[3:12] + string(check10(s[3:12]))
		}
	}
	return ""
}

// check10 returns the tenth digit for the nine before it.
func check10(digits string) byte {
	sum := 0
	for i := range len(digits) {
		sum += (10 - i) * int(digits[i]-'0')
	}
	return "0123456789X"[(11-sum%11)%11]
}

// check13 returns the last of 13 digits for the twelve before it.
func check13(digits string) byte {
	sum := 0
	for i := range len(digits) {
		sum += (1 + i%2*2) * int(digits[i]-'0')
	}
	return byte('0' + (10-sum%10)%10)
}
