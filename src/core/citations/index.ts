/**
 * The model's citation marks as annotations. docs/hosted-tools.md explains them.
 *
 * @packageDocumentation
 */

export { type Citations, type CitedPage, urlCitations } from './url-citations.js'
