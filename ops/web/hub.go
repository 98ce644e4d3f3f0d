package web

import "net/http"

// hub hands a hub's request to who subscribed; without one there is nothing here.
func (f *files) hub(w http.ResponseWriter, r *http.Request) error {
	if f.websub == nil {
		return refuse(http.StatusNotFound, "there is nothing at this address")
	}
	f.websub.ServeHTTP(w, r)
	return nil
}
