// Package article turns the tree of a page into its main text: the article, the posts, the
// product's description, and not the menus, teasers, forms and notices around them.
//
// Split cuts the tree into blocks, runs of text that a reader sees as one paragraph, with what is
// known of each: words, words in links, the elements around it. Then every block is kept or
// dropped.
//
// It promises text in the order of the page, one block a line, each line clean as package plain has
// it, and no more than Options.MaxText bytes. It does not look at the page's address: copies of a
// page have the same text, or they would not be found to be copies. (Cross-validated, what the
// address could add is .005 of F1 on listings and forums, nothing on articles.)
//
// Caveats: text that a script would add is not seen, nor what the page hides by its own attributes:
// hidden.go says which hidden parts count all the same. Style sheets are not read.
package article
