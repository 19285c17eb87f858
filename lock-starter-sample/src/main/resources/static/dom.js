// The few lines that build and update elements. Updates keep the elements, so that focus and selection stay.

/** Creates an element with properties, data attributes (data-x) and children. */
export function h(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name.includes('-')) {
      element.setAttribute(name, value);
    } else {
      element[name] = value;
    }
  }
  element.append(...children);
  return element;
}

/** Sets a text unless it is there already: screen readers read a live region when its content is replaced. */
export function setText(element, text) {
  if (element.textContent !== text) {
    element.textContent = text;
  }
}

/** Makes the children of an element those of the items, in their order: one for each key, updated in place. */
export function reconcile(parent, items, keyOf, create, update) {
  const present = new Map([...parent.children].map((child) => [child.dataset.key, child]));
  let next = parent.firstElementChild;
  for (const item of items) {
    const key = String(keyOf(item));
    let child = present.get(key);
    if (child === undefined) {
      child = create(item);
      child.dataset.key = key;
    }
    present.delete(key);
    update(child, item);
    if (child === next) {
      next = next.nextElementSibling;
    } else {
      parent.insertBefore(child, next);
    }
  }
  present.forEach((child) => child.remove());
}

export function seconds(millis) {
  return `${(Math.max(0, millis) / 1000).toFixed(1)} s`;
}
