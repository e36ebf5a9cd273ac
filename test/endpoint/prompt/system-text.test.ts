import { describe, expect, test } from 'vitest'
import { builtinNamespaces } from '../../../src/endpoint/prompt/builtin-namespaces.js'
import { systemText } from '../../../src/endpoint/prompt/system-text.js'

// That it is the official text is a property: render-messages.test.ts.

describe('the text of the system message', () => {
  test('the system message has defaults', () => {
    expect(systemText({ hasFunctions: false })).toBe(
      [
        'You are ChatGPT, a large language model trained by OpenAI.',
        'Knowledge cutoff: 2024-06',
        '',
        'Reasoning: medium',
        '',
        '# Valid channels: analysis, commentary, final. Channel must be included for every message.',
      ].join('\n'),
    )
  })

  test('the system message has the given settings', () => {
    const text = systemText({
      identity: 'You are Tess.',
      knowledgeCutoff: '2025-01',
      date: '2026-11-22',
      effort: 'high',
      builtins: builtinNamespaces(new Set(['local_shell'])),
      hasFunctions: true,
    })
    expect(text).toBe(
      [
        'You are Tess.',
        'Knowledge cutoff: 2025-01',
        'Current date: 2026-11-22',
        '',
        'Reasoning: high',
        '',
        '# Tools',
        '',
        '## container',
        '',
        '// Runs commands on a computer. Files and changes stay there between calls.',
        'namespace container {',
        '',
        '// Runs a program and returns its output.',
        'type exec = (_: {',
        '// The program and its arguments. For a line of shell script: ["bash", "-lc", "ls | wc -l"]',
        'cmd: string[],',
        '// In milliseconds',
        'timeout?: number,',
        '// The folder to run in',
        'workdir?: string,',
        'env?: {',
        '    [key: string]: string,',
        '    },',
        '// The user to run as',
        'user?: string,',
        '}) => any;',
        '',
        '} // namespace container',
        '',
        '# Valid channels: analysis, commentary, final. Channel must be included for every message.',
        "Calls to these tools must go to the commentary channel: 'functions'.",
      ].join('\n'),
    )
  })

  test('the system message is refused with a value that is not a date or an effort', () => {
    expect(() => systemText({ date: '22 November', hasFunctions: false })).toThrow(
      "date: expected a date as 'YYYY-MM-DD'",
    )
    expect(() => systemText({ effort: 'xhigh' as never, hasFunctions: false })).toThrow(
      'effort: expected one of low, medium, high, got "xhigh"',
    )
  })
})
