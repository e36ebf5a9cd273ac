/** A command that ends by itself. */
export interface EndedCommand {
  /** A `serve --replay` listens at $SERVER. */
  readonly typed: string
  readonly exitCode: number
  /** All that it prints. */
  readonly printed: RegExp
}

const FIXTURE = 'node_modules/harmony-responses/fixtures/plain-answer.json'
const oneLine = (text: string): RegExp => new RegExp(`^harmony-responses: ${text}\n$`)

/** What options of `serve` do where it serves nothing. A title begins with the option. */
export const ENDED_SERVES: Readonly<Record<string, EndedCommand>> = {
  '--help prints the options and ends': {
    typed: 'harmony-responses serve --help',
    exitCode: 0,
    printed: /^harmony-responses serve: [\s\S]*\n {2}--help\n[\s\S]*Exit codes: /,
  },
  '--model names the package that it needs': {
    typed: `harmony-responses serve --model ${FIXTURE}`,
    exitCode: 2,
    printed: oneLine('--model [^\\n]*: node-llama-cpp is not installed: npm install node-llama-cpp@3'),
  },
  '--mcp names the package that it needs': {
    typed: 'harmony-responses serve --replay --mcp weather=node',
    exitCode: 2,
    printed: oneLine('[^\\n]*npm install @modelcontextprotocol/client[^\\n]*'),
  },
  '--host refuses an address that others can reach without a key': {
    typed: 'harmony-responses serve --replay --host 0.0.0.0',
    exitCode: 2,
    printed: oneLine('--host 0\\.0\\.0\\.0: others can reach it, so it needs a key: [^\\n]*'),
  },
  '--python-image is for Docker and Podman alone': {
    typed: 'harmony-responses serve --replay --python bwrap --python-image python',
    exitCode: 2,
    printed: oneLine('--python-image: expected only with --python docker, podman or auto'),
  },
  '--durability needs a store': {
    typed: 'harmony-responses serve --replay --durability power',
    exitCode: 2,
    printed: oneLine('--durability: expected only with --store or HARMONY_RESPONSES_STORE'),
  },
  '--store names the package that it needs for Postgres': {
    typed:
      'harmony-responses serve --replay --seal-keys seal-keys.txt --store postgres://me:hunter2@127.0.0.1/responses',
    exitCode: 2,
    printed: oneLine('--store: pg is not installed: npm install pg@8'),
  },
  '--store names the package that it needs for Redis': {
    typed: 'harmony-responses serve --replay --seal-keys seal-keys.txt --store redis://:hunter2@127.0.0.1',
    exitCode: 2,
    printed: oneLine('--store: redis is not installed: npm install redis@6'),
  },
  '--store refuses a shared store without keys that all machines have': {
    typed: 'harmony-responses serve --replay --store postgres://me:hunter2@127.0.0.1/responses',
    exitCode: 2,
    printed: oneLine('--store: machines that share a store need the same keys: --seal-keys FILE or [^\\n]*'),
  },
  '--store refuses an address of a kind that it does not know': {
    typed: 'harmony-responses serve --replay --store mysql://:hunter2@127.0.0.1',
    exitCode: 2,
    printed: oneLine('--store: expected a file, postgres://USER:PASSWORD@HOST/DATABASE or redis[^\\n]*, got mysql://'),
  },
}

/** Every command but what `serve` serves. A title begins with the command. */
export const ENDED_COMMANDS: Readonly<Record<string, EndedCommand>> = {
  'serve needs an engine': {
    typed: 'harmony-responses serve',
    exitCode: 2,
    printed: oneLine('serve: expected one of --replay, [^\\n]*, got none'),
  },
  'replay translates a fixture of the package': {
    typed: `harmony-responses replay ${FIXTURE} --format sse`,
    exitCode: 0,
    printed: /^event: response\.created\n[\s\S]*The capital of France is Paris\.[\s\S]*\nevent: response\.completed\n/,
  },
  'check finds the stream of a fixture correct': {
    typed: `harmony-responses replay ${FIXTURE} --format sse | harmony-responses check -`,
    exitCode: 0,
    printed: /\nstream 1: \d+ events, 0 violations, 0 warnings \(profile openai\)\n$/,
  },
  'explain shows how clients read the stream of a fixture': {
    typed: `harmony-responses replay ${FIXTURE} --format sse | harmony-responses explain -`,
    exitCode: 0,
    printed: /\n {2}The AI SDK shows "The capital of France is Paris\.", and ends well\.\n/,
  },
  'probe checks a server': {
    typed: 'harmony-responses probe $SERVER --only plain',
    exitCode: 0,
    printed: /\npass +plain\n[\s\S]*\n1 pass; no problems\n$/,
  },
  'corpus writes its files': {
    typed: 'harmony-responses corpus corpus && ls corpus',
    exitCode: 0,
    printed: /^README\.md\n[\s\S]*^streams\.jsonl$/m,
  },
  'prompt renders a request': {
    typed: 'harmony-responses prompt request.json --text --date 2026-01-02',
    exitCode: 0,
    printed:
      /^<\|start\|>system<\|message\|>[\s\S]*2026-01-02[\s\S]*<\|start\|>user<\|message\|>Where is Oslo\?<\|end\|><\|start\|>assistant$/,
  },
  'store opens no store that is not there': {
    typed: 'harmony-responses store status --store missing.db',
    exitCode: 2,
    printed: /^harmony-responses: --store missing\.db: expected a store, got no such file\n$/,
  },
  'completion completes an option of serve in bash': {
    typed: `harmony-responses completion bash > completion.bash && TYPED='harmony-responses serve --effort h' bash -c '. ./completion.bash
      COMP_LINE=$TYPED COMP_POINT=\${#TYPED} && _harmony_responses && echo "\${COMPREPLY[@]}"'`,
    exitCode: 0,
    printed: /^high\n$/,
  },
  '--help lists the commands': { typed: 'harmony-responses --help', exitCode: 0, printed: /\nCommands:\n/ },
  '--version prints the version of the package': {
    typed: `harmony-responses --version && node -p 'require("harmony-responses/package.json").version'`,
    exitCode: 0,
    printed: /^(\d+\.\d+\.\d+\S*)\n\1\n$/,
  },
}
