import { render } from 'preact'
import { App } from './app/app.tsx'
import './style/tokens.css'
import './style/base.css'
import './style/parts.css'
import './style/forms.css'
import './style/rooms.css'
import './style/queue.css'
import './style/overview.css'
import './style/case.css'
import './style/print.css'

const root = document.getElementById('console')
if (root) render(<App />, root)
