import { render } from 'preact'
import { hash, packedOf } from './look/address.js'
import { Look } from './look/look.js'
import { Brand } from './parts/brand.js'

/** The page without a server: it looks into what is pasted, dropped or shared. */
function LookOnly() {
  return (
    <>
      <header class="top">
        <Brand />
      </header>
      <main>
        <Look packed={packedOf(hash.value)} />
      </main>
    </>
  )
}

const place = document.getElementById('page')
place?.replaceChildren()
if (place !== null) render(<LookOnly />, place)
