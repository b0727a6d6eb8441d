import type { Replacements } from "./fill.ts"

export const tongues = ["en", "de", "fr", "es"] as const
export type Tongue = (typeof tongues)[number]

export const tonguePhrases = {
  en: ["in english", "english"],
  de: ["in german", "german texts", "german", "auf deutsch", "deutsch"],
  fr: ["in french", "french texts", "french", "en français", "français"],
  es: ["in spanish", "spanish texts", "spanish", "en español", "español"],
} satisfies Record<Tongue, string[]>

type Translated = Exclude<Tongue, "en">

/** The texts of a list's page and of what its module says, without the things' names: those have genders. */
const lists = {
  de: {
    add: "Hinzufügen",
    remove: "Entfernen",
    added: "Neuer Eintrag",
    none: "Noch keine Einträge.",
    one: "1 Eintrag",
    many: "Einträge",
    total: "Summe",
    missing: "fehlt",
    number: "muss eine Zahl sein",
    date: "muss ein Datum wie 2026-12-31 sein",
    wrong: "Etwas ist schiefgegangen.",
    lead: "Eintragen, markieren und entfernen.",
    list: "Liste",
  },
  fr: {
    add: "Ajouter",
    remove: "Supprimer",
    added: "Nouvelle entrée",
    none: "Aucune entrée pour l’instant.",
    one: "1 entrée",
    many: "entrées",
    total: "Total",
    missing: "est à remplir",
    number: "doit être un nombre",
    date: "doit être une date comme 2026-12-31",
    wrong: "Une erreur s’est produite.",
    lead: "Ajouter, marquer et supprimer.",
    list: "Liste",
  },
  es: {
    add: "Añadir",
    remove: "Eliminar",
    added: "Nueva entrada",
    none: "Todavía no hay entradas.",
    one: "1 entrada",
    many: "entradas",
    total: "Total",
    missing: "es obligatorio",
    number: "debe ser un número",
    date: "debe ser una fecha como 2026-12-31",
    wrong: "Algo salió mal.",
    lead: "Añadir, marcar y eliminar.",
    list: "Lista",
  },
} satisfies Record<Translated, Record<string, string>>

const marks: Record<Translated, Record<string, string>> = {
  de: { complete: "Erledigt", pin: "Anheften", star: "Merken", increment: "Zählen" },
  fr: { complete: "Terminer", pin: "Épingler", star: "Favori", increment: "Compter" },
  es: { complete: "Completar", pin: "Fijar", star: "Destacar", increment: "Contar" },
}

/** The words of a list's page in another language, by those of `recipes/collection`. */
export function listTexts(tongue: Tongue, verb: string): Replacements {
  if (tongue === "en") return {}
  const texts = lists[tongue]
  return {
    'lang="en"': `lang="${tongue}"`,
    ">Add</button>": `>${texts.add}</button>`,
    '"Remove"': `"${texts.remove}"`,
    '"Flag"': `"${marks[tongue][verb] ?? verb}"`,
    "`Flag · ": `\`${marks[tongue][verb] ?? verb} · `,
    "<legend>New sample</legend>": `<legend>${texts.added}</legend>`,
    "No samples yet.": texts.none,
    "list.length} samples`": `list.length} ${texts.many}\``,
    '"1 sample"': `"${texts.one}"`,
    "Total: ": `${texts.total}: `,
    " is missing.": ` ${texts.missing}.`,
    " must be a number.": ` ${texts.number}.`,
    " must be a date such as 2026-12-31.": ` ${texts.date}.`,
    "Something went wrong.": texts.wrong,
    'aria-label="Samples"': `aria-label="${texts.list}"`,
    "A list of samples to add, flag and remove.": texts.lead,
  }
}

const labels: Record<Translated, Record<string, string>> = {
  de: {
    ...{ title: "Titel", name: "Name", text: "Text", "due date": "Fällig am", priority: "Priorität", date: "Datum" },
    ...{ amount: "Betrag", price: "Preis", category: "Kategorie", phone: "Telefon", email: "E-Mail", note: "Notiz" },
    ...{ author: "Autor", year: "Jahr", tags: "Schlagwörter", url: "Adresse", notes: "Notizen", rating: "Bewertung" },
  },
  fr: {
    ...{ title: "Titre", name: "Nom", text: "Texte", "due date": "Échéance", priority: "Priorité", date: "Date" },
    ...{ amount: "Montant", price: "Prix", category: "Catégorie", phone: "Téléphone", email: "E-mail", note: "Note" },
    ...{ author: "Auteur", year: "Année", tags: "Mots-clés", url: "Adresse", notes: "Notes", rating: "Note" },
  },
  es: {
    ...{ title: "Título", name: "Nombre", text: "Texto", "due date": "Vence", priority: "Prioridad", date: "Fecha" },
    ...{ amount: "Importe", price: "Precio", category: "Categoría", phone: "Teléfono", email: "Correo", note: "Nota" },
    ...{ author: "Autor", year: "Año", tags: "Etiquetas", url: "Dirección", notes: "Notas", rating: "Valoración" },
  },
}

/** A field's label. Words without a translation stay as they are. */
export function labelOf(words: string, tongue: Tongue): string {
  const label = (tongue === "en" ? undefined : labels[tongue][words]) ?? words
  return label === "url" ? "URL" : label.charAt(0).toUpperCase() + label.slice(1)
}

const titles: Record<Translated, Record<string, string>> = {
  de: {
    ...{ "To-do List": "Aufgaben", Notes: "Notizen", Counters: "Zähler", "Expense Tracker": "Ausgaben" },
    ...{ Books: "Bücher", Recipes: "Rezepte", Contacts: "Kontakte", Movies: "Filme", Products: "Produkte" },
    ...{ Habits: "Gewohnheiten", Bookmarks: "Lesezeichen", Plants: "Pflanzen", Songs: "Lieder", Items: "Liste" },
  },
  fr: {
    ...{ "To-do List": "Tâches", Notes: "Notes", Counters: "Compteurs", "Expense Tracker": "Dépenses" },
    ...{ Books: "Livres", Recipes: "Recettes", Contacts: "Contacts", Movies: "Films", Products: "Produits" },
    ...{ Habits: "Habitudes", Bookmarks: "Favoris", Plants: "Plantes", Songs: "Chansons", Items: "Liste" },
  },
  es: {
    ...{ "To-do List": "Tareas", Notes: "Notas", Counters: "Contadores", "Expense Tracker": "Gastos" },
    ...{ Books: "Libros", Recipes: "Recetas", Contacts: "Contactos", Movies: "Películas", Products: "Productos" },
    ...{ Habits: "Hábitos", Bookmarks: "Marcadores", Plants: "Plantas", Songs: "Canciones", Items: "Lista" },
  },
}

/** The title of a project that nobody named. */
export function translatedTitle(title: string, tongue: Tongue): string {
  return (tongue === "en" ? undefined : titles[tongue][title]) ?? title
}
