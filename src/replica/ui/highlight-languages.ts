import highlighter from 'highlight.js/lib/common';
import dart from 'highlight.js/lib/languages/dart';
import dockerfile from 'highlight.js/lib/languages/dockerfile';
import elixir from 'highlight.js/lib/languages/elixir';
import haskell from 'highlight.js/lib/languages/haskell';
import nginx from 'highlight.js/lib/languages/nginx';
import powershell from 'highlight.js/lib/languages/powershell';
import protobuf from 'highlight.js/lib/languages/protobuf';
import scala from 'highlight.js/lib/languages/scala';

const MORE = { dart, dockerfile, elixir, haskell, nginx, powershell, protobuf, scala };

/** Gives the grammars to the highlighter: some hundred kilobytes, so this module is loaded late. */
export function withLanguages(): typeof highlighter {
  for (const [name, grammar] of Object.entries(MORE)) highlighter.registerLanguage(name, grammar);
  return highlighter;
}
