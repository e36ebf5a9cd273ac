// The model of examples/servers/ while `--only embed` measures them: it costs nothing.
export const generate = (_request, _signal) => ['<|channel|>final<|message|>Hello<|return|>']
