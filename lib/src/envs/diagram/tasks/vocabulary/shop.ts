import { list, type Domain } from './types.js';

export const shop: Domain = {
  name: 'shop',
  en: {
    nouns:
      list(`Customer, Cart, Order, Order item, Product, Product page, Catalog, Price list, Coupon, Gift card, Checkout, Invoice, Receipt,
      Payment, Refund, Return label, Wishlist, Review, Rating, Cashier, Store manager, Supplier, Stock, Shelf, Delivery, Courier,
      Pickup point, Address, Sales tax, Discount, Loyalty account, Newsletter, Support desk, Fraud check, Bank, Display window,
      Seasonal sale, Bundle 3 for 2, Cash drawer, Till, Shop assistant, Online store, price[sku], total()`),
    steps:
      list(`Browse catalog, Add to cart, Apply coupon, Enter address, Choose delivery, Pay by card, Print receipt, Pack parcel, Ship order,
      Ask for review, Issue refund, Restock shelf, Scan 2 items, Close till`),
    states: list(`New, Paid, Packed, Shipped, Delivered, Returned, Refunded, On hold, Out of stock`),
    verbs:
      list(`buys, places, contains, pays for, ships to, orders from, refunds, rates, discounts, delivers to, adds to, bills, stocks,
      returns, recommends`),
    questions:
      list(`In stock?, Payment accepted?, Coupon valid?, Gift wrap wanted?, Address complete?, Is the customer a member?,
      Order above 50 euros?, Fraud suspected?, Return in time?, Express delivery?`),
    alias: ['Basket', 'Cart'],
  },
  zh: {
    nouns:
      list(`顾客、购物车、订单、订单项、商品、商品页、商品目录、价目表、优惠券、礼品卡、结账台、发票、小票、付款、退款、退货单、心愿单、
      评价、评分、收银员、店长、供应商、存货、货架、配送、快递员、自提点、地址、销售税、折扣、积分账户、电子报、客服台、欺诈检查、
      银行、橱窗、换季促销、套装 3 件、钱箱、导购员、网店、实体店、price[sku]、total()`),
    steps:
      list(`浏览目录、加入购物车、使用优惠券、填写地址、选择配送、刷卡付款、打印小票、打包包裹、寄出订单、邀请评价、办理退款、
      补充货架、扫描 2 件、关闭收银机`),
    states: list(`新建、已付款、已打包、已发货、已送达、已退货、已退款、暂缓、缺货`),
    verbs: list(
      `购买、提交、包含、支付、寄往、订购、退还、评价、打折、配送到、加入、开票给、存放、退回、推荐`,
    ),
    questions:
      list(`有现货？、付款成功？、优惠券有效？、需要礼盒？、地址完整？、是会员吗？、满 50 元？、疑似欺诈？、退货及时？、
      加急配送？`),
    alias: ['购物篮', '购物车'],
  },
};
