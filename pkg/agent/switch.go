package agent

// switchDistill takes over whether models may be asked, with the answer that the user gave
// in the client, if that is known.
func (s *Service) switchDistill(answer string) (bool, error) {
	if s.Distills == nil {
		return s.Agent.Distiller.Enabled(), nil
	}
	on, err := s.Distills(answer)
	if err != nil {
		s.Agent.log.Error("distillation stays as it was", "error", err)
		return s.Agent.Distiller.Enabled(), err
	}
	s.Agent.Distiller.Switch(on)
	return s.Agent.Distiller.Enabled(), nil
}
