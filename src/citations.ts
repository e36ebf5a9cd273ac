export { type Citations, type CitedPage, urlCitations } from './translate/url-citations.js'
