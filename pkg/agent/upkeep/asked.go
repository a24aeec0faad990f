package upkeep

// ask notes that somebody asks for maintenance: until answered is called nothing waits,
// so that the request is not held up by a job that does.
func (u *Upkeep) ask() (answered func()) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.asking++; u.asking == 1 && u.hurry != nil {
		close(u.hurry)
		u.hurry = nil
	}
	return func() {
		u.mu.Lock()
		defer u.mu.Unlock()
		u.asking--
	}
}

// asked is closed when somebody asks for maintenance; nil: somebody does already.
func (u *Upkeep) asked() <-chan struct{} {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.asking > 0 {
		return nil
	}
	if u.hurry == nil {
		u.hurry = make(chan struct{})
	}
	return u.hurry
}
