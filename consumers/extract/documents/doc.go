// Package documents reads files that are no web pages: PDF, the formats of Office and OpenDocument,
// EPUB and RTF. It turns the bytes of a file into text, page starts, headings, links, and the
// file's own metadata.
//
// # Goals
//
// Text in reading order, one paragraph a line; a box or a note inside a paragraph comes after it. A
// broken or hostile file takes bounded time and memory and does no harm to anything else.
//
// # How it works
//
// The bytes of a file say what it is (schema.FamilyOf), and in a zip archive or compound file its
// members; the name never does. PDF is read by pdfium, compiled to WebAssembly and run by wazero:
// no foreign native code runs, and pdfium can access neither files nor network. Each PDF has an
// instance with memory of its own. The module is compiled when the first PDF comes, and kept in
// Options.CacheDir.
//
// A program that calls ServePDFs first in main reads PDFs in processes of its own program, one PDF
// at a time in each: they can be ended from outside, so the code need not ask at every loop whether
// it should end, and is 2.3 times as fast (bench/documents). A process ends when it was not needed
// for a minute. Another program, or one that may start no process, reads them itself.
//
// The other formats are read here, as streams: XML token by token (encoding/xml), zip member by
// member, RTF and the binary formats byte by byte. No entity is resolved and nothing outside the
// file is read. Files inside a Word or Excel file are read with it, also archives and OLE packages,
// within the bounds of the outermost file; PDFs inside are not read.
//
// # Promises
//
//   - At most Options.Workers PDFs are read at the same time, each with at most Options.MaxMemory,
//     for at most Options.PageTimeout a page and Options.Timeout in all; after that the file is
//     given up, or what was read of it counts.
//   - Of an archive at most Options.MaxEntries members and Options.MaxUnpacked bytes in all are
//     read.
//   - The same bytes give the same Document, unless the time ran out.
//   - The text is clean (package plain): UTF-8 without control characters. PageStarts ascend, are
//     at the beginning of characters, and inside the text.
//
// # On failure
//
// Read returns one of the errors ErrEncrypted, ErrNoText, ErrHeavy, ErrBroken and ErrUnknown, or
// that of its context. A file that breaks off gives what could be read, with Cut set. If a process
// that reads a PDF ends without an answer, the PDF is read once more in another one, and is
// ErrHeavy if that ends too.
//
// # Limits
//
// Pictures are not read: a scanned PDF has no text (ErrNoText). The layout is guessed: columns come
// in the order of the file, in which most programs write them as they are read. Numbers in sheets
// stand as their formats show them, with English names of months; dates in numbers alone are ISO
// dates. Of the binary formats before 2007 text, title, author and dates are read, and of Word
// labels of lists, but no headings; what a style hides there is not known. A file that is encrypted
// is not read, unless it opens without a password in Excel, because it is only protected against
// changes. Options.MaxMemory bounds the memory of an instance, not what it takes while that memory
// is moved to grow: for a moment the old one is there, too. A PDF made to use all of it took a
// process to 164 MB, and one of 31 MB to 234.
package documents
