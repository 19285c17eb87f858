// Puts the page together. Everything that it shows comes from the streams of the instances.

import { Cards } from './cards.js';
import { News, Tickets, renderLines } from './boards.js';
import { Instances } from './instances.js';
import { reconcile, h, setText } from './dom.js';

const element = (id) => document.getElementById(id);

const news = new News(element('news'), element('filter'), element('no-news'), element('announcer'));
const tickets = new Tickets(element('tickets'), element('sold'));
const cards = new Cards(element('instances'), act);
const instances = new Instances(heard, changed);
const eventSelect = element('event');

function heard(instance, item) {
  if (item.type === 'write refused') {
    tickets.refuse(item);
  }
  news.add(instance.port, item);
}

function changed(instance, what) {
  news.add(instance.port, { type: 'instance', lock: what, token: null, detail: '', at: Date.now() });
}

async function act(instance, action, argument) {
  const eventId = eventSelect.value;
  if (eventId === '' && ['buy', 'crowd', 'slow', 'report'].includes(action)) {
    instance.message = 'Open an event first, above.';
    return;
  }
  const event = encodeURIComponent(eventId);
  const requests = {
    buy: [`/api/events/${event}/tickets`, 'Buying …', (ticket) => `Sold ticket ${ticket.number}, token ${ticket.token}.`],
    crowd: [`/live/events/${event}/buyers?count=50`, 'Sending buyers …', () => '50 buyers are on their way.'],
    slow: [`/api/events/${event}/slow-tickets?seconds=8`, 'Selling slowly: the lock is held for 8 s before the write …',
      (ticket) => `Sold ticket ${ticket.number}, token ${ticket.token}.`],
    report: [`/api/events/${event}/report?seconds=30`, 'Writing a report under a lock that is renewed …',
      (report) => `The report is written, token ${report.token}.`],
    force: [`/live/locks/force?name=${encodeURIComponent(argument)}`, `Taking ${argument} away …`,
      () => `${argument} was taken away; its owner notices at the next renewal.`],
    pause: ['/live/pause?seconds=10', 'Pausing …', () => 'Paused for 10 s, as by a long garbage collection.'],
    kill: ['/live/kill', 'Killing …', () => 'Killed, as by kill -9.'],
  };
  const [path, before, after] = requests[action];
  instance.message = before;
  try {
    instance.message = after(await instance.post(path));
  } catch (error) {
    instance.message = error.message;
  }
}

element('open-event').addEventListener('submit', async (submitted) => {
  submitted.preventDefault();
  const name = element('event-name').value;
  const instance = instances.all().find((one) => one.isAnswering());
  try {
    if (instance === undefined) {
      throw new Error('No instance answers. Start one with the command below.');
    }
    await instance.post(`/api/events/${encodeURIComponent(name)}?seats=${element('event-seats').value}`);
    wanted = name;
    setText(element('event-message'), `Event ${name} is open.`);
  } catch (error) {
    setText(element('event-message'), error.message);
  }
});

element('copy').addEventListener('click', async () => {
  try {
    await navigator.clipboard.writeText(element('command').textContent);
    setText(element('copy'), 'Copied');
  } catch {
    getSelection().selectAllChildren(element('command'));
  }
});

let wanted = null;

function renderEvents(sales) {
  if (sales === null) {
    return;
  }
  const chosen = eventSelect.value;
  const ids = sales.events.map((event) => event.id).sort();
  reconcile(eventSelect, ids, (id) => id, (id) => h('option', { value: id }, id), () => {});
  if (wanted !== null && ids.includes(wanted)) {
    eventSelect.value = wanted;
    wanted = null;
  } else if (!ids.includes(chosen) && sales.events.length > 0) {
    eventSelect.value = sales.events[0].id;
  }
}

function renderHints(all) {
  const foreign = !['127.0.0.1', 'localhost', '[::1]'].includes(location.hostname);
  const last = Math.max(Number(location.port), ...all.map((instance) => instance.port));
  const free = all.find((instance) => instance.status() === 'gone')?.port ?? last + 1;
  setText(element('command'),
    `./mvnw -q -pl lock-starter-sample -am spring-boot:run -Dspring-boot.run.arguments=--server.port=${free}`);
  const answering = all.filter((instance) => instance.isAnswering());
  const connecting = all.some((instance) => instance.status() === 'connecting');
  element('no-answer').hidden = answering.length > 0 || connecting;
  if (answering.length === 0 && !connecting) {
    setText(element('no-answer'), foreign
      ? `Instances answer to pages of this machine only: open http://127.0.0.1:${location.port}/ instead.`
      : 'No instance answers. Start one with the command below, or wait for one that is paused; this page connects by itself.');
  }
  const database = answering.length > 0 && answering.every((instance) => instance.state.sales === null);
  element('no-database').hidden = !database;
}

function render() {
  const all = instances.all();
  const latest = all.filter((one) => one.state?.sales).sort((one, other) => other.receivedAt - one.receivedAt)[0];
  const sales = latest?.state.sales ?? null;
  renderEvents(sales);
  cards.render(all, (pid) => instances.portOf(pid));
  renderLines(element('lines'), all);
  tickets.render(sales, eventSelect.value);
  news.render();
  renderHints(all);
  instances.forgetOld();
}

element('instances').replaceChildren();
instances.connect(Number(location.port) || 80);
setInterval(render, 200);
setInterval(() => instances.all().forEach((instance) => instance.reopenIfClosed()), 5000);
render();
