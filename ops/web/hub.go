package web

import "net/http"

// hub passes the request of a hub to the subscriber; 404 if there is none.
func (f *files) hub(w http.ResponseWriter, r *http.Request) error {
	if f.websub == nil {
		return refuse(http.StatusNotFound, "there is nothing at this address")
	}
	f.websub.ServeHTTP(w, r)
	return nil
}
