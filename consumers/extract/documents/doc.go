// Package documents reads files that are no pages: PDF, the formats of Office and OpenDocument,
// EPUB and RTF. It turns the bytes of a file into text, page starts, headings, links, and what the
// file says of itself.
//
// # Goals
//
// Text in reading order, one paragraph a line. A broken or hostile file costs a bounded time and
// memory and harms nothing else.
//
// # How it works
//
// What a file is, its bytes say (schema.FamilyOf), and inside a zip archive or compound file its
// members; never its name. PDF is read by pdfium, compiled to WebAssembly and run by wazero: native
// code of strangers has no part in it, and what runs sees neither files nor network. Each PDF has
// an instance of its own, with memory of its own. The module is compiled when the first PDF comes,
// and kept in Options.CacheDir.
//
// The other formats are read here, as streams: XML token by token (encoding/xml), zip member by
// member, RTF and the binary formats byte by byte. No entity is resolved and nothing outside the
// file is read. Files inside a Word or Excel file are read with it, archives and OLE packages too,
// within the bounds of the outermost; PDFs are not.
//
// # Promises
//
//   - At most Options.Workers PDFs are read at the same time, each with at most Options.MaxMemory,
//     for at most Options.PageTimeout a page and Options.Timeout in all; then it is given up, or
//     what was read of it counts.
//   - Of an archive at most Options.MaxEntries members and Options.MaxUnpacked bytes in all are
//     read.
//   - The same bytes give the same Document, unless the time ran out.
//   - The text is clean (package plain): UTF-8 without control characters. PageStarts rise, begin
//     at runes, and stand inside the text.
//
// # On failure
//
// Read returns one of the errors ErrEncrypted, ErrNoText, ErrHeavy, ErrBroken and ErrUnknown. A
// file that breaks off gives what could be read, with Cut set.
//
// # Limits
//
// Pictures are not read: a scanned PDF has no text (ErrNoText). Layout is guessed: columns come in
// the order of the file, which most programs write in reading order. Excel's number formats are
// applied for dates and percentages only. Of the binary formats text, title, author and dates are
// read, and neither links nor headings.
package documents
