import type { Substitutions } from "./substitute.ts"

/** Shades that are readable on light and on dark backgrounds. */
const shades = {
  red: ["#b3261e", "#ff9d93"],
  orange: ["#b34700", "#ffb27a"],
  yellow: ["#7a5c00", "#f2cf5b"],
  green: ["#1b6e3c", "#86d9a3"],
  teal: ["#0f6b67", "#7fd6d0"],
  blue: ["#1f5fbf", "#9cc2ff"],
  navy: ["#1d3a7a", "#a9bfff"],
  purple: ["#6a3fb5", "#cbb2ff"],
  pink: ["#a8326f", "#ffa6d1"],
  brown: ["#6f4423", "#e0b48d"],
  cream: ["#73622f", "#eadfb4"],
  grey: ["#55524c", "#c9c5bd"],
  black: ["#2a2926", "#e4e2dd"],
} satisfies Record<string, [light: string, dark: string]>

export type ColourName = keyof typeof shades
export const colourNames = Object.keys(shades) as ColourName[]

/** Returns the light and the dark shade of a known colour. */
export function shadesOf(name: string): string[] | undefined {
  return Object.entries<string[]>(shades).find(([known]) => known === name)?.[1]
}

const alsoCalled: Partial<Record<ColourName, string[]>> = {
  yellow: ["gold", "amber"],
  teal: ["turquoise"],
  navy: ["navy blue"],
  purple: ["violet", "lilac"],
  pink: ["magenta"],
  cream: ["beige"],
  grey: ["gray"],
}

/** Phrases for each colour. */
export const colourPhrases = Object.fromEntries(
  colourNames.map((name) => [name, [`dark ${name}`, `light ${name}`, name, ...(alsoCalled[name] ?? [])]]),
) as Record<ColourName, string[]>

/** Phrases such as “too red”, which don't say what colour to use instead. */
export const tooColourful = ["dark", "light", "bright", ...Object.values(colourPhrases).flat()].map(
  (colour) => `too ${colour}`,
)

const darkLines: Substitutions = {
  "color-scheme: light dark;": "color-scheme: dark;",
  "@media (prefers-color-scheme: dark) {": "@media all {",
}

/** Returns the style sheet lines that set these colours. */
export function colourLines(accent: ColourName | undefined, background: ColourName | undefined): Substitutions {
  const [light, dark] = accent ? shades[accent] : []
  // A black background is always dark. Other backgrounds tint the light and the dark background.
  if (background === "black") return { ...colourLines(accent, undefined), ...darkLines }
  const [lightBackground, darkBackground] = background ? shades[background] : []
  return {
    ...(accent && { "--accent: #3451d1;": `--accent: ${light};`, "--accent: #9db0ff;": `--accent: ${dark};` }),
    ...(background && {
      "--paper: #f7f6f3;": `--paper: color-mix(in srgb, ${lightBackground} 12%, #ffffff);`,
      "--paper: #151517;": `--paper: color-mix(in srgb, ${darkBackground} 8%, #151517);`,
    }),
  }
}
