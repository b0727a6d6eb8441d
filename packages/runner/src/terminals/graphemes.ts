// The addon reads its table from the start of the buffer that it decodes. Node places small buffers somewhere in a shared
// pool, so the addon would read other data instead. Emojis would then have the wrong width, and the addon would reserve
// gigabytes.
import "./disable-buffer-pool.ts"
import { UnicodeGraphemesAddon } from "@xterm/addon-unicode-graphemes"
import { enableBufferPool } from "./disable-buffer-pool.ts"

enableBufferPool()

export { UnicodeGraphemesAddon }
