// Package article finds the main text of a page in its tree: the article, the posts, the
// description of a product, without the menus, teasers, forms and notices around them.
//
// # Goals
//
// Copies of a page have the same text, so that dedupe finds them. For this reason the page's
// address is not used. (Cross-validated, it would add .005 of F1 on listings and forums, nothing on
// articles.)
//
// # How it works
//
// Split cuts the tree into blocks: runs of text that a reader sees as one paragraph, with their
// features (words, words in links, the elements around them). Then a model keeps or drops each
// block. Lists that a page is for are kept or dropped together with the text beside them
// (lists.go).
//
// # Promises
//
// The text is in the order of the page, one block a line, each line clean (package plain), and at
// most Options.MaxText bytes.
//
// # On failure
//
// There are no errors. A page in which the model keeps no block has an empty text.
//
// # Limits
//
// Text that a script would add is not seen. Text that the page hides by its own attributes is left
// out, except for the parts named in hidden.go. Style sheets are not read.
package article
