// Package web sends one HTTP request and returns what the server answered. It is the only code of
// millrace that opens connections to the web.
//
// # Goals
//
// Every request ends, stays within its caps, and reaches only public addresses, whatever the server
// does.
//
// # How it works
//
// One call of Client.Do is one request. It never follows a redirect, keeps no cookies, uses no
// proxy, and writes its request at most once: net/http would repeat a GET whose kept connection was
// closed; here that is an error of kind reset, because a repeat without the delay would be
// impolite. Bodies are returned as received: gzip is asked for, and nothing is unpacked.
//
// DNS answers are cached for as long as they are valid, but at least Options.DNSKeepLeast and at
// most DNSKeepMost. Of a host at most four addresses are kept, IPv4 and IPv6 by turns.
//
// # Promises
//
//   - Every call ends: by the answer, by a cap, or by the deadline. No call takes more memory than
//     the caps allow.
//   - No connection is opened to an address outside the public Internet, or to a port that is not
//     allowed. The address that is dialled is checked, so a name that resolves to another address a
//     moment later (DNS rebinding) gains nothing. Options.AllowPrivate and Options.Resolve are the
//     exceptions.
//   - No byte of a request is written after Request.MayWrite has returned an error: it is called in
//     the Write call of the connection.
//   - Result.Started is taken after the last byte of the request was handed to the kernel,
//     Result.Answered at the first byte of the answer: in between the request arrived at the
//     server.
//
// # On failure
//
// Result.Err has one of a closed list of kinds. What arrived before (status, headers, part of a
// body) is kept beside it.
//
// # Limits
//
// The size after decompression is not checked; whoever unpacks a body must limit it. A body whose
// declared length is over the cap is refused without reading if its type cannot be used in part
// (PDF), and cut if it can (HTML).
package web
