/** The addresses of the pages of the web that citations name, in order: what an application shows of them. */
export const pagesIn = (citations: unknown): string[] =>
  (Array.isArray(citations) ? citations : []).flatMap((citation) => {
    const { type, url } = Object(citation) as { type?: unknown; url?: unknown }
    return type === 'web_search_result_location' && typeof url === 'string' && url !== '' ? [url] : []
  })
