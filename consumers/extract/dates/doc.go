// Package dates turns dates as people and machines write them into times: ISO 8601 and its
// relatives, RFC 1123, Unix seconds, numbers with dots or slashes, names of months in 25 languages,
// years, months and days in Chinese, Japanese and Korean.
//
// Find looks for the first date in a text, Parse takes a text that should be nothing but a date,
// InURL reads paths like /2024/05/17/.
//
// A date without a time zone is taken as UTC; one without a time of day is midnight.
//
// Failure: false; never an error.
//
// Caveats: 03/04/2020 is ambiguous. Order says how the page's language writes; DayFirst is right
// for most of the world. Years outside 1990 to 2099 are not dates of web pages and are refused, so
// that numbers and places in history are not taken for them.
package dates
