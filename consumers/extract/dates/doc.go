// Package dates turns written dates into times: ISO 8601 and similar forms, RFC 1123, Unix seconds,
// numbers with dots or slashes, names of months in 28 languages, years, months and days in Chinese,
// Japanese and Korean, and the calendars of Thailand, Iran, and of Japan's and Taiwan's eras.
//
// # Goals
//
// The date of a page is found in the form in which its author wrote it, in the page's language.
//
// # How it works
//
// Find looks for the first date in a text, Parse reads a text that should be only a date, InURL
// reads paths like /2024/05/17/. A date without a time zone is taken as UTC, one without a time of
// day as midnight.
//
// # Promises
//
// The same text gives the same time, whatever the day is on which it is read.
//
// # On failure
//
// The result is false; there are no errors.
//
// # Limits
//
// 03/04/2020 is ambiguous. Order says which comes first in the page's language; DayFirst is right
// for most of the world. Years outside 1990 to 2099 are refused, so that other numbers and years of
// history are not taken for dates of pages.
package dates
