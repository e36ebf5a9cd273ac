import { type Signal, useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useRef } from 'preact/hooks'
import type { AboutPage } from '../../cli/serve/about-page.js'
import type { ClientSettings } from '../../cli/serve/client-lines.js'
import type { Item } from './answer.js'
import { CodeDialog } from './code-dialog.js'
import { ask, stop, turns } from './conversation.js'
import { requestFields, SettingError, settings } from './settings.js'
import { settingError } from './settings-form.js'

/** The largest image that is attached, in bytes: a request's body has a limit, too. */
const MAX_IMAGE = 16 * 1024 * 1024

interface Image {
  readonly name: string
  /** A `data:` address. */
  readonly url: string
}

/** Where a message is written. It stands below the conversation, and never moves. */
export function Composer({
  about,
  client,
  showsSettings,
}: {
  readonly about: AboutPage
  readonly client: ClientSettings
  readonly showsSettings: Signal<boolean>
}): JSX.Element {
  const text = useSignal('')
  const images = useSignal<readonly Image[]>([])
  const problem = useSignal('')
  const picker = useRef<HTMLInputElement>(null)
  const running = turns.value.findLast(({ state }) => state.value.is === 'running')

  async function attach(files: Iterable<File>): Promise<void> {
    for (const file of files) {
      if (!file.type.startsWith('image/')) problem.value = `${file.name} is not an image.`
      else if (file.size > MAX_IMAGE) problem.value = `${file.name} is larger than 16 MiB.`
      else images.value = [...images.value, { name: file.name, url: await dataOf(file) }]
    }
  }

  /** Returns the body of the request; undefined if a setting is wrong, which is shown beside it. */
  function bodyOf(): Parameters<typeof ask>[0] | undefined {
    try {
      return { ...requestFields(settings.value, about), input: inputOf(text.value, images.value) }
    } catch (error) {
      if (!(error instanceof SettingError)) throw error
      settingError.value = error
      showsSettings.value = true
      return undefined
    }
  }

  function submit(): void {
    if (running !== undefined || (text.value.trim() === '' && images.value.length === 0)) return
    const body = bodyOf()
    if (body === undefined) return
    ask(body)
    text.value = ''
    images.value = []
    problem.value = ''
  }

  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault()
        attach(event.dataTransfer?.files ?? [])
      }}
    >
      {images.value.length > 0 && (
        <ul class="images">
          {images.value.map((image) => (
            <li key={image.url}>
              <img src={image.url} alt={image.name} />
              <button
                type="button"
                class="quiet"
                aria-label={`Remove ${image.name}`}
                onClick={() => {
                  images.value = images.value.filter((each) => each !== image)
                }}
              >
                Remove
              </button>
            </li>
          ))}
        </ul>
      )}
      {problem.value !== '' && (
        <p class="wrong" role="alert">
          {problem.value}
        </p>
      )}
      <label class="hidden" for="message">
        Message
      </label>
      <textarea
        id="message"
        rows={1}
        placeholder="Write a message"
        value={text.value}
        onInput={({ currentTarget }) => {
          text.value = currentTarget.value
        }}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
          event.preventDefault()
          submit()
        }}
        onPaste={({ clipboardData }) => attach(clipboardData?.files ?? [])}
      />
      <div class="actions">
        <input
          ref={picker}
          type="file"
          accept="image/*"
          multiple
          hidden
          aria-label="Images"
          onChange={({ currentTarget }) => {
            attach(currentTarget.files ?? []).then(() => {
              currentTarget.value = ''
            })
          }}
        />
        <button type="button" class="quiet" onClick={() => picker.current?.click()}>
          Add image
        </button>
        <button
          type="button"
          class="quiet narrow"
          aria-expanded={showsSettings.value}
          aria-controls="settings"
          onClick={() => {
            showsSettings.value = !showsSettings.value
          }}
        >
          Options
        </button>
        <CodeDialog bodyOf={() => ({ ...(bodyOf() ?? {}), stream: true })} client={client} label="As code" />
        <span class="note progress" role="status">
          {running === undefined ? '' : running.isStopping.value ? 'Stopping …' : 'Writing …'}
        </span>
        {running === undefined ? (
          <button key="act" type="submit" class="main">
            Send
          </button>
        ) : (
          <button
            key="act"
            type="button"
            class="main"
            disabled={running.isStopping.value}
            onClick={() => stop(running)}
          >
            Stop
          </button>
        )}
      </div>
    </form>
  )
}

function inputOf(text: string, images: readonly Image[]): string | Item[] {
  if (images.length === 0) return text
  const pictures = images.map(({ url }) => ({ type: 'input_image', image_url: url, detail: 'auto' }))
  const words = text.trim() === '' ? [] : [{ type: 'input_text', text }]
  return [{ type: 'message', role: 'user', content: [...words, ...pictures] }]
}

function dataOf(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(`${reader.result}`)
    reader.onerror = () => reject(reader.error)
    reader.readAsDataURL(file)
  })
}
