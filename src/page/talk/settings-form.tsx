import { type Signal, signal } from '@preact/signals'
import type { JSX } from 'preact'
import type { AboutPage } from '../../cli/serve/about-page.js'
import { shownText } from '../parts/shown-text.js'
import { changeSettings, nameOfTool, type SettingError, type Settings, settings } from './settings.js'

/** Why the last request was not sent; it stands beside its setting. */
export const settingError: Signal<SettingError | undefined> = signal<SettingError | undefined>(undefined)

/** What requests ask for besides their input. */
export function SettingsForm({ about }: { readonly about: AboutPage }): JSX.Element {
  const { model, effort, logprobs, instructions, tools, approval, schema, functions } = settings.value
  const hasMcp = about.tools.some(({ type }) => type === 'mcp')
  return (
    <form onSubmit={(event) => event.preventDefault()}>
      <h2>Options</h2>
      {about.models.length > 1 && (
        <Choice
          id="model"
          label="Model"
          value={model}
          words={Object.fromEntries(about.models.map((name) => [name, name]))}
          onChoose={(value) => changeSettings({ model: value })}
        />
      )}
      <Choice
        id="effort"
        label="Reasoning effort"
        value={effort}
        words={{ '': "The server's default", low: 'Low', medium: 'Medium', high: 'High' }}
        onChoose={(value) => changeSettings({ effort: value as Settings['effort'] })}
      />
      <label class="check">
        <input
          type="checkbox"
          checked={logprobs}
          onChange={({ currentTarget }) => changeSettings({ logprobs: currentTarget.checked })}
        />
        How likely each token was
      </label>
      {about.tools.length > 0 && (
        <fieldset>
          <legend>Tools of this server</legend>
          {about.tools.map((tool) => {
            const name = nameOfTool(tool)
            const isOffered = about.offered.includes(name)
            return (
              <label key={name} class="check">
                <input
                  type="checkbox"
                  checked={isOffered || tools.includes(name)}
                  disabled={isOffered}
                  onChange={({ currentTarget }) => {
                    const others = tools.filter((each) => each !== name)
                    changeSettings({ tools: currentTarget.checked ? [...others, name] : others })
                  }}
                />
                {shownText(name)}
                {isOffered && <span class="note"> always there</span>}
              </label>
            )
          })}
          {hasMcp && (
            <Choice
              id="approval"
              label="Calls of these tools"
              value={approval}
              words={{ always: 'Ask me each time', never: 'Run without asking' }}
              onChoose={(value) => changeSettings({ approval: value as Settings['approval'] })}
            />
          )}
        </fieldset>
      )}
      <Words
        id="instructions"
        label="Instructions"
        hint="You are a patient teacher."
        value={instructions}
        onType={(value) => changeSettings({ instructions: value })}
      />
      <Words
        id="schema"
        label="Schema of the answer"
        hint={'{"type": "object", "properties": …}'}
        value={schema}
        onType={(value) => changeSettings({ schema: value })}
      />
      <Words
        id="functions"
        label="Functions that you answer"
        hint={'[{"type": "function", "name": …}]'}
        value={functions}
        onType={(value) => changeSettings({ functions: value })}
      />
    </form>
  )
}

function Choice({
  id,
  label,
  value,
  words,
  onChoose,
}: {
  readonly id: string
  readonly label: string
  readonly value: string
  readonly words: Readonly<Record<string, string>>
  readonly onChoose: (value: string) => void
}): JSX.Element {
  return (
    <>
      <label for={id}>{label}</label>
      <select id={id} value={value} onChange={({ currentTarget }) => onChoose(currentTarget.value)}>
        {Object.entries(words).map(([word, text]) => (
          <option key={word} value={word}>
            {text}
          </option>
        ))}
      </select>
    </>
  )
}

function Words({
  id,
  label,
  hint,
  value,
  onType,
}: {
  readonly id: string
  readonly label: string
  readonly hint: string
  readonly value: string
  readonly onType: (value: string) => void
}): JSX.Element {
  const error = settingError.value?.setting === id ? settingError.value.message : undefined
  return (
    <>
      <label for={id}>{label}</label>
      <textarea
        id={id}
        rows={id === 'instructions' ? 2 : 3}
        class={id === 'instructions' ? '' : 'code'}
        spellcheck={id === 'instructions'}
        placeholder={hint}
        value={value}
        aria-invalid={error !== undefined}
        aria-describedby={error === undefined ? undefined : `${id}-error`}
        onInput={({ currentTarget }) => {
          settingError.value = undefined
          onType(currentTarget.value)
        }}
      />
      {error !== undefined && (
        <p class="wrong" id={`${id}-error`} role="alert">
          {error}
        </p>
      )}
    </>
  )
}
