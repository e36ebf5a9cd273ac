/** A page as the model reads it. */
export interface Page {
  /** Its address; empty for the results of a search. */
  readonly url: string
  readonly title: string
  /** Its lines, with links as `【id†text】`. None is longer than {@link LINE_LENGTH}. */
  readonly lines: readonly string[]
  /** Its links by their ids. */
  readonly links: readonly Link[]
}

/** A link of a page. */
export interface Link {
  readonly url: string
  /** What the page says for it, as the model reads it. */
  readonly text: string
}

/** The length of a line in UTF-16 units: a fact of the format, on which the line numbers of citations depend. */
export const LINE_LENGTH = 80
