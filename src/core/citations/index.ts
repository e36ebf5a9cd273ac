export { type Citations, type CitedPage, urlCitations } from './url-citations.js'
