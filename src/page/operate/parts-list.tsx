import type { JSX } from 'preact'
import { shownText } from '../parts/shown-text.js'
import { parts } from './figures.js'
import { durationWords } from './words.js'

const KINDS: Readonly<Record<string, string>> = { engine: 'Engine', mcp: 'MCP server', store: 'Store' }

/** The parts of the server, and whether they answer. */
export function PartsList(): JSX.Element {
  if (parts.value === undefined) return <p class="note">Asking each of them …</p>
  return (
    <ul>
      {parts.value.map(({ type, name, health, why, seconds }) => (
        <li key={`${type} ${name}`} class={`part ${health}`}>
          <span class="kind">{KINDS[type] ?? type}</span> <b>{shownText(name)}</b>
          <span class="health">
            {health === 'ok' ? `answers in ${durationWords(seconds)}` : shownText(why ?? 'It does not answer.')}
          </span>
        </li>
      ))}
    </ul>
  )
}
