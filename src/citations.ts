export { type Citations, type CitedPage, urlCitations } from './translate/citations/url-citations.js'
