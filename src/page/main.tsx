import { render } from 'preact'
import { connect } from './api/connection.js'
import { Page } from './page.js'

const place = document.getElementById('page')
if (place !== null) render(<Page />, place)
connect()
