/** A tool's type without its version: `web_search` of `web_search_preview` and of `web_search_2025_08_26`. */
export function undatedType(type: string): string {
  return type.replace(/^(web_search)(_preview)?(_\d{4}_\d\d_\d\d)?$/, '$1')
}
