// Package web turns a URL into what a server answered: it is the only code of millrace that opens
// connections to the web.
//
// One call, Client.Do, is one request: it never follows a redirect, sends no cookies, uses no
// proxy, and writes its request at most once (net/http would repeat a GET whose kept connection
// died; here that is an error of kind reset, because a repeat without a delay is what politeness
// forbids). Bodies are carried as received: gzip is asked for, nothing is unpacked.
//
// Promises:
//   - Every call ends: by the answer, by a cap, or by the deadline, whatever the server does. No
//     call takes more memory than the caps allow.
//   - No connection is opened to an address outside the public Internet, or to a port that is not
//     allowed: checked on the address that is dialled, so that a name that resolves to something
//     else a moment later (rebinding) gains nothing. Options.AllowPrivate and Options.Resolve are
//     the ways out.
//   - No byte of a request is written after Request.MayWrite has said no: the question is asked in
//     the Write call of the connection itself.
//   - Result.Started is taken after the last byte of the request was handed to the kernel,
//     Result.Answered with the first byte of the answer: between the two the request was at the
//     server.
//
// On failure Result.Err is one of a closed list of kinds. What arrived before (status, headers,
// part of a body) is kept beside it.
//
// # Caveats
//
// The size after decompression is not looked at; whoever unpacks must cap it. DNS answers are kept
// for as long as they say, between Options.DNSKeepLeast and DNSKeepMost, and at most four addresses
// of a host, the families by turns. A page whose declared length is over the cap is refused without
// reading if its type cannot be used in part (PDF), and cut if it can (HTML).
package web
