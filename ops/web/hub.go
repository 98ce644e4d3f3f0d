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

// announced passes an announcement of URLs to the endpoint of IndexNow; 404 if it is off.
func (f *files) announced(w http.ResponseWriter, r *http.Request) error {
	if f.taking == nil {
		return refuse(http.StatusNotFound, "there is nothing at this address")
	}
	f.taking.ServeHTTP(w, r)
	return nil
}
