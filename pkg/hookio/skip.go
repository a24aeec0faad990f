package hookio

// skip reads one value and keeps nothing of it. It finds the end of the value but
// does not validate it: a malformed literal inside it is not reported.
func (d *decoder) skip() *DecodeError {
	c, err := d.token()
	if err != nil {
		return err
	}
	return d.skipFrom(c)
}

// skipFrom reads the rest of a value that begins with c. It follows strings and
// counts brackets, whatever their kind, so that any depth takes no memory.
func (d *decoder) skipFrom(c byte) *DecodeError {
	switch c {
	case '"':
		return d.skipString()
	case '{', '[':
		return d.skipContainer()
	case '}', ']', ',', ':':
		d.unread()
		return d.fail(ErrSyntax, "expected a value")
	}
	return d.skipScalar()
}

func (d *decoder) skipContainer() *DecodeError {
	for open := 1; open > 0; {
		c, err := d.next()
		if err != nil {
			return err
		}
		switch c {
		case '"':
			if err := d.skipString(); err != nil {
				return err
			}
		case '{', '[':
			open++
		case '}', ']':
			open--
		}
	}
	return nil
}

func (d *decoder) skipString() *DecodeError {
	for {
		if d.pos == len(d.buf) {
			if err := d.fill(); err != nil {
				return err
			}
		}
		d.pos = d.special()
		if d.pos == len(d.buf) {
			continue
		}
		c := d.buf[d.pos]
		d.pos++
		if c == '"' {
			return nil
		}
		if _, err := d.next(); err != nil {
			return err
		}
	}
}

// skipScalar reads up to the character that ends a number or a literal.
func (d *decoder) skipScalar() *DecodeError {
	for {
		c, err := d.next()
		if err != nil {
			return err
		}
		if isSpace(c) || c == ',' || c == '}' || c == ']' {
			d.unread()
			return nil
		}
	}
}
