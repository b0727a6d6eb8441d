import type { Plugin } from "esbuild"

declare const plugins: Plugin[]
// biome-ignore lint/style/noDefaultExport: as it is
export default plugins
