import type { ComponentChildren, JSX } from 'preact'

/** A titled place of a fixed height, whose content scrolls. */
export function Panel({
  title,
  kind,
  beside,
  children,
}: {
  readonly title: string
  readonly kind: string
  /** What stands beside the title. */
  readonly beside?: ComponentChildren
  readonly children: ComponentChildren
}): JSX.Element {
  return (
    <div class={`panel ${kind}`}>
      <div class="heading">
        <h2>{title}</h2>
        {beside}
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be reached by the keyboard. */}
      <section class="scrolls" aria-label={title} tabIndex={0}>
        {children}
      </section>
    </div>
  )
}
