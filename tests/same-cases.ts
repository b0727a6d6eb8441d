import fc from "fast-check"
import { cases } from "./settings.ts"

// `npm test` tries the same cases each time, so that what fails there was broken by the change; the deep run draws others, and
// says with which seed.
if (cases({ usual: 1, deep: 0 })) fc.configureGlobal({ seed: 1, ...fc.readConfigureGlobal() })
