/**
 * The model's citation marks as annotations. docs/hosted-tools.md explains them.
 *
 * @packageDocumentation
 */

export { type CitedPage, type UrlCitationsOptions, urlCitations } from './url-citations.js'
