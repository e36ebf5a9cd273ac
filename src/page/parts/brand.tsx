import type { JSX } from 'preact'

/** The icon and the name of the page. */
export function Brand(): JSX.Element {
  return (
    <>
      <img src={iconAddress()} alt="" width="22" height="22" />
      <h1 class="brand">harmony-responses</h1>
    </>
  )
}

/** The icon's built name has a hash. */
function iconAddress(): string {
  return document.querySelector<HTMLLinkElement>('link[rel=icon]')?.href ?? ''
}
