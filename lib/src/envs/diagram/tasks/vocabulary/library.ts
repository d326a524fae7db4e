import { list, type Domain } from './types.js';

export const library: Domain = {
  name: 'library',
  en: {
    nouns:
      list(`Reader, Librarian, Library card, Card file, Book, Book cart, Bookshelf, Reading room, Lending desk, Return box, Loan, Loan record,
      Reservation, Reminder letter, Late fee, E-book, Audiobook, Magazine, Newspaper, Manuscript, Rare book room, Archive room, Scanner desk,
      Subject index, Author list, Publisher, Bookbinder, Book fund, Donation, Reading club, Story hour, Study booth, Map collection,
      Microfilm, Branch library, Bookmobile, Interlibrary loan, Acquisition desk, Shelf mark 42, Volume 3, Periodical stand, Volunteer,
      find(title), shelf[b2]`),
    steps:
      list(`Search catalogue, Reserve book, Fetch book, Check card, Lend book, Send reminder, Take back book, Inspect pages, Repair spine,
      Shelve book, Charge late fee, Order copies, Label 20 books, Close desk`),
    states: list(
      `Available, On loan, Overdue, In repair, Lost, On order, Discarded, On display, Reading room only`,
    ),
    verbs:
      list(`lends, borrows, catalogues, reserves for, reminds, repairs, donates to, collects, shelves, renews, orders, lists,
      digitizes, looks up, recommends to`),
    questions:
      list(`Card valid?, Book available?, Overdue?, Pages damaged?, Is it reserved?, Fee paid?, Copy found?, Older than 1900?,
      Loan renewable?, Reader under 12?`),
    alias: ['Patron', 'Reader'],
  },
  zh: {
    nouns:
      list(`读者、馆员、借书证、卡片柜、图书、书车、书架、阅览室、借书台、还书箱、借阅、借阅记录、预约、催还信、滞纳金、电子书、有声书、
      杂志、报纸、手稿、善本、档案室、扫描台、主题索引、作者名录、出版社、装订工、购书经费、捐赠、读书会、故事时间、自习间、地图馆藏、
      缩微胶片、分馆、流动书车、馆际互借、采编部、书号 42、第 3 卷、期刊、志愿者、find(title)、shelf[b2]`),
    steps:
      list(`检索目录、预约图书、取书、核对证件、借出图书、发送催还、收回图书、检查书页、修补书脊、图书上架、收取滞纳金、
      订购副本、贴 20 个标签、关闭服务台`),
    states: list(`在架、已借出、逾期、修补中、遗失、订购中、已剔除、展出中、仅限馆内`),
    verbs: list(
      `借给、借阅、编目、预约给、催还、修补、捐给、收藏、上架、续借、订购自、列出、数字化、检索、推荐给`,
    ),
    questions:
      list(`证件有效？、图书在架？、已逾期？、书页破损？、已被预约？、滞纳金已付？、找到副本？、早于 1900 年？、可以续借？、
      读者未满 12 岁？`),
    alias: ['借阅人', '读者'],
  },
};
