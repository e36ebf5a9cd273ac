/** Strips the version from a tool's type: `web_search` from `web_search_preview` and `web_search_2025_08_26`. */
export function undatedType(type: string): string {
  return type.replace(/^(web_search)(_preview)?(_\d{4}_\d\d_\d\d)?$/, '$1')
}
